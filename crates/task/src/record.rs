//! The record of what a client was served since its task began.

use std::collections::{BTreeMap, BTreeSet};

/// What was served. The caller has compared every file with its current content: what has changed since is stale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Files of which source or an outline was served, by path.
    pub files: BTreeMap<String, FileView>,
    /// Symbols that were named with their location, by handle.
    pub symbols: BTreeMap<String, SymbolView>,
    /// Lines that were named without their source, such as the lines of uses, by path.
    pub mentioned: BTreeMap<String, Vec<u32>>,
    /// Directories that were listed.
    pub directories: Vec<String>,
    /// Files that the task itself has written.
    pub written: BTreeSet<String>,
    /// The calls that were answered, in order.
    pub calls: Vec<ServedCall>,
}

/// What was served of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileView {
    /// Ranges of served lines, first and last, in order and disjoint.
    pub lines: Vec<(u32, u32)>,
    /// Whether the file has changed since, other than by this task's own writes.
    pub stale: bool,
    /// The last generation of the index that it was served from.
    pub generation: u64,
}

/// What was served of a symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolView {
    /// Its file.
    pub path: String,
    /// The line it was served at.
    pub line: u32,
    /// Whether its file has changed since, other than by this task's own writes.
    pub stale: bool,
}

/// A call that was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServedCall {
    /// What kind of information it served.
    pub kind: String,
    /// What it was about.
    pub subject: String,
}

/// A place in a file: `path:12`, or a whole file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The file.
    pub path: String,
    /// The line, if it names one.
    pub line: Option<u32>,
}

impl Location {
    /// Parses `path:12`, `path:12-40` (its first line) or a path.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let of = |path: &str, line: Option<u32>| Self { path: path.to_owned(), line };
        let Some((path, numbers)) = text.rsplit_once(':') else { return of(text, None) };
        let first = numbers.split(['-', ',']).next().unwrap_or_default();
        match first.trim_start_matches('L').parse() {
            Ok(line) if !path.is_empty() => of(path, Some(line)),
            _ => of(text, None),
        }
    }
}

/// Whether something was served, and is still what was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Served {
    Fresh,
    Stale,
    Never,
}

impl Record {
    /// Whether source of a file was served.
    pub(crate) fn file(&self, path: &str) -> Served {
        match self.files.get(path) {
            None => Served::Never,
            Some(view) if view.stale => Served::Stale,
            Some(_) => Served::Fresh,
        }
    }

    /// Whether a symbol was named in an answer.
    pub(crate) fn symbol(&self, handle: &str) -> Served {
        match self.symbols.get(handle) {
            None => Served::Never,
            Some(view) if view.stale => Served::Stale,
            Some(_) => Served::Fresh,
        }
    }

    /// Whether the lines of a symbol were served as source.
    pub(crate) fn source_of(&self, handle: &str) -> Served {
        let Some(symbol) = self.symbols.get(handle) else { return Served::Never };
        match self.files.get(&symbol.path) {
            Some(view) if view.stale => Served::Stale,
            Some(view) if view.contains(symbol.line) => Served::Fresh,
            _ => Served::Never,
        }
    }

    /// Whether a location was served: its line as source, or named in a list of uses; a whole file if any of its source was.
    pub(crate) fn location(&self, at: &Location) -> Served {
        let view = self.files.get(&at.path);
        if view.is_some_and(|view| view.stale) {
            return Served::Stale;
        }
        let Some(line) = at.line else { return self.file(&at.path) };
        let mentioned = self.mentioned.get(&at.path).is_some_and(|lines| lines.contains(&line));
        let named = || self.symbols.values().any(|one| one.path == at.path && one.line == line && !one.stale);
        if view.is_some_and(|view| view.contains(line)) || mentioned || named() {
            Served::Fresh
        } else {
            Served::Never
        }
    }

    /// Whether a directory was listed, or source of a file directly in it was served.
    pub(crate) fn directory(&self, directory: &str) -> bool {
        let inside =
            |path: &String| path.rsplit_once('/').map_or("", |(directory, _)| directory) == directory;
        self.directories.iter().any(|one| one == directory)
            || self.files.iter().any(|(path, view)| !view.stale && inside(path))
    }

    /// Whether a call of a kind was answered.
    pub fn asked(&self, kind: &str) -> bool {
        self.calls.iter().any(|call| call.kind == kind)
    }
}

impl FileView {
    /// Whether a line was served.
    pub fn contains(&self, line: u32) -> bool {
        self.lines.iter().any(|&(first, last)| (first..=last).contains(&line))
    }

    /// Adds a range of lines.
    pub fn add(&mut self, first: u32, last: u32) {
        let (mut first, mut last) = (first, last.max(first));
        self.lines.retain(|&(from, to)| {
            let touches = from <= last.saturating_add(1) && first <= to.saturating_add(1);
            if touches {
                first = first.min(from);
                last = last.max(to);
            }
            !touches
        });
        let at = self.lines.partition_point(|&(from, _)| from < first);
        self.lines.insert(at, (first, last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn locations_are_parsed_as_answers_write_them() {
        let at = |path: &str, line| Location { path: path.to_owned(), line };
        assert_eq!(Location::parse("src/a.py:12"), at("src/a.py", Some(12)));
        assert_eq!(Location::parse("src/a.py:12-40"), at("src/a.py", Some(12)));
        assert_eq!(Location::parse(" src/a.py "), at("src/a.py", None));
        assert_eq!(Location::parse("c:odd"), at("c:odd", None));
    }

    proptest! {
        #[test]
        fn ranges_stay_disjoint_and_hold_exactly_what_was_added(
            added in prop::collection::vec((1_u32..60, 0_u32..10), 0..20)
        ) {
            let mut view = FileView::default();
            for &(first, length) in &added {
                view.add(first, first + length);
            }
            prop_assert!(view.lines.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0));
            for line in 1..80 {
                let expected = added.iter().any(|&(first, length)| (first..=first + length).contains(&line));
                prop_assert_eq!(view.contains(line), expected);
            }
        }
    }
}
