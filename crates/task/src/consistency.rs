//! Whether the parts of an understanding fit together.

use std::collections::BTreeSet;
use std::fmt;

/// A contradiction in an understanding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inconsistency {
    /// A symbol is listed twice.
    DuplicateSymbol(String),
    /// A file is listed twice.
    DuplicateFile(String),
    /// No edge leads from the entry point to a listed symbol.
    EntryPointNotLinked(String),
    /// Patterns are listed, but no file.
    PatternsWithoutFiles,
}

impl fmt::Display for Inconsistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateSymbol(name) => write!(f, "the symbol {name} is listed twice"),
            Self::DuplicateFile(path) => write!(f, "the file {path} is listed twice"),
            Self::EntryPointNotLinked(name) => {
                write!(f, "no call or use leads from the entry point {name} to another listed symbol")
            }
            Self::PatternsWithoutFiles => f.write_str("patterns are listed without files that show them"),
        }
    }
}

/// The contradictions, in order; none means that the parts fit together. `is_linked` says whether edges of the index lead from
/// an entry point to one of the other symbols.
pub fn check_consistency(
    symbols: &[String],
    entry_points: &[String],
    files: &[String],
    patterns: &[String],
    is_linked: &dyn Fn(&str, &[&str]) -> bool,
) -> Vec<Inconsistency> {
    let mut found: Vec<Inconsistency> =
        twice(symbols).map(|name| Inconsistency::DuplicateSymbol(name.clone())).collect();
    found.extend(twice(files).map(|path| Inconsistency::DuplicateFile(path.clone())));
    for entry in entry_points {
        let others: Vec<&str> = symbols.iter().filter(|one| *one != entry).map(String::as_str).collect();
        if !is_linked(entry, &others) {
            found.push(Inconsistency::EntryPointNotLinked(entry.clone()));
        }
    }
    if !patterns.is_empty() && files.is_empty() {
        found.push(Inconsistency::PatternsWithoutFiles);
    }
    found
}

fn twice(names: &[String]) -> impl Iterator<Item = &String> {
    let mut known = BTreeSet::new();
    names.iter().filter(move |name| !known.insert(*name))
}
