//! Project files (manifests): statements about where modules are, read from `go.mod`, `Cargo.toml`, `package.json` and so on.
//!
//! A pack may have `projects/*.toml` for files of its language with certain names. Each is a list of rules: a path of keys
//! that leads to values, and the statement that each value makes. The file also keeps the other facts of its language.

mod key_path;
mod line_scanners;
mod template;
mod value;
mod value_reader;

pub(crate) use key_path::Glob;

use crate::parse::budget::Budget;
use crate::schema::error::PackError;
use crate::schema::manifest::PackManifest;
use crate::schema::project_rules::{ProjectRuleSpec, ProjectSpec};
use key_path::KeyPath;
use orient_model::{Atom, Outline, Says, Statement};
use regex::Regex;
use std::collections::{HashMap, HashSet};
use template::{SelectedValue, Template};
use value::Value;
use value_reader::Reader;

/// Maximum number of statements of a file.
const STATEMENTS_CAP: usize = 10_000;
/// Maximum length of a name or value. No path or name is longer.
const TEXT_CAP: usize = 1_000;

/// The compiled rules for one kind of project file.
pub(crate) struct Project {
    reader: Reader,
    rules: Vec<Rule>,
}

struct Rule {
    at: KeyPath,
    says: Says,
    name: Template,
    value: Template,
    text: Template,
    matches: Vec<Regex>,
    replace: Vec<(String, String)>,
    from: Option<Template>,
}

impl Project {
    pub(crate) fn compile(
        manifest: &PackManifest,
        name: &str,
        spec: &ProjectSpec,
    ) -> Result<Self, PackError> {
        let rule = |(index, rule): (usize, &ProjectRuleSpec)| {
            Rule::new(&manifest.name, &format!("projects/{name}.toml: rule {}", index + 1), rule)
        };
        Ok(Self {
            reader: Reader::new(manifest)?,
            rules: spec.rules.iter().enumerate().map(rule).collect::<Result<_, _>>()?,
        })
    }

    /// Adds the statements of a file to its outline, in the order of the rules and without duplicates.
    pub(crate) fn add(&self, bytes: &[u8], outline: &mut Outline, budget: &mut Budget) {
        let value = self.reader.read(bytes, budget);
        let mut statements = Statements::new(outline);
        for rule in &self.rules {
            rule.apply(&value, &mut statements);
        }
    }
}

impl Rule {
    fn new(pack: &str, place: &str, spec: &ProjectRuleSpec) -> Result<Self, PackError> {
        let bad =
            |message: String| PackError::Pattern { pack: pack.to_owned(), place: place.to_owned(), message };
        let says = spec.says.parse().map_err(|()| PackError::Word {
            pack: pack.to_owned(),
            place: place.to_owned(),
            word: spec.says.clone(),
            what: "statement",
            known: Says::ALL.iter().map(|says| says.as_str()).collect::<Vec<_>>().join(", "),
        })?;
        let regex = |pattern: &String| Regex::new(pattern).map_err(|error| bad(error.to_string()));
        Ok(Self {
            at: KeyPath::new(&spec.at),
            says,
            name: Template::new(&spec.name).map_err(bad)?,
            value: Template::new(&spec.value).map_err(bad)?,
            text: Template::new(&spec.text).map_err(bad)?,
            matches: spec.matches.iter().map(regex).collect::<Result<_, _>>()?,
            replace: spec.replace.clone(),
            from: spec.from.as_deref().map(Template::new).transpose().map_err(bad)?,
        })
    }

    fn apply(&self, root: &Value, statements: &mut Statements<'_>) {
        for (value, keys) in self.at.select(root) {
            let Some((last, before)) = self.matches.split_last() else {
                self.add_statement(&SelectedValue { value, keys: &keys, groups: &[] }, statements);
                continue;
            };
            let Some(text) = self.text.fill(&SelectedValue { value, keys: &keys, groups: &[] }) else {
                continue;
            };
            let mut texts = vec![text.as_str()];
            for pattern in before {
                let first =
                    |text| pattern.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str()));
                texts = texts.into_iter().flat_map(first).collect();
            }
            for found in texts.into_iter().flat_map(|text| last.captures_iter(text)) {
                let groups: Vec<Option<&str>> = found.iter().map(|group| group.map(|g| g.as_str())).collect();
                self.add_statement(&SelectedValue { value, keys: &keys, groups: &groups }, statements);
            }
        }
    }

    fn add_statement(&self, found: &SelectedValue<'_, '_>, statements: &mut Statements<'_>) {
        let (Some(name), Some(mut value)) = (self.name.fill(found), self.value.fill(found)) else { return };
        for (old, new) in &self.replace {
            value = value.replace(old.as_str(), new);
        }
        if let Some(directory) = self.from.as_ref().and_then(|from| from.fill(found)) {
            value = relative(&value, &directory);
        }
        statements.add(self.says, name.trim(), value.trim());
    }
}

/// An absolute path relative to an absolute directory; any other path unchanged.
fn relative(path: &str, directory: &str) -> String {
    if !path.starts_with('/') || !directory.starts_with('/') {
        return path.to_owned();
    }
    let parts = |path| str::split(path, '/').filter(|part| !part.is_empty() && *part != ".");
    let shared = parts(path).zip(parts(directory)).take_while(|(a, b)| a == b).count();
    let up = parts(directory).skip(shared).map(|_| "..");
    up.chain(parts(path).skip(shared)).collect::<Vec<_>>().join("/")
}

/// Collects the statements of a file.
struct Statements<'o> {
    outline: &'o mut Outline,
    atoms: HashMap<String, Atom>,
    known: HashSet<Statement>,
}

impl<'o> Statements<'o> {
    fn new(outline: &'o mut Outline) -> Self {
        let mut atoms = HashMap::new();
        for (atom, text) in outline.strings.iter() {
            atoms.entry(text.to_owned()).or_insert(atom);
        }
        Self { outline, atoms, known: HashSet::new() }
    }

    fn add(&mut self, says: Says, name: &str, value: &str) {
        // Only a directory may be empty, which is that of the file, and a package that is named like the file.
        let empty = value.is_empty() && !matches!(says, Says::Root | Says::Built | Says::Provides);
        let is_invalid = |text: &str| text.len() > TEXT_CAP || text.contains(['\n', '\0']);
        if empty || is_invalid(name) || is_invalid(value) || self.outline.manifest.len() >= STATEMENTS_CAP {
            return;
        }
        let statement = Statement { says, name: self.atom(name), value: self.atom(value) };
        if self.known.insert(statement) {
            self.outline.manifest.push(statement);
        }
    }

    fn atom(&mut self, text: &str) -> Atom {
        if let Some(&atom) = self.atoms.get(text) {
            return atom;
        }
        let atom = self.outline.strings.push(text);
        self.atoms.insert(text.to_owned(), atom);
        atom
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_become_relative_to_the_directory() {
        assert_eq!(relative("/a/b/include", "/a/b/build"), "../include");
        assert_eq!(relative("/a/b", "/a/b"), "");
        assert_eq!(relative("../x", "/a"), "../x");
        assert_eq!(relative("/usr/include", "/a"), "../usr/include");
    }
}
