//! Tags we do not have by decision, each kind of them with its reason.
#![expect(clippy::print_stdout, reason = "a chore talks to the terminal")]

use super::tags::Tag;
use crate::report::count;
use crate::workspace;
use anyhow::{Context, Result};
use regex::Regex;
use serde::Deserialize;

/// Where they are written.
const FILE: &str = "xtask/crosscheck-exceptions.toml";

/// All of that file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    exception: Vec<Written>,
}

/// An entry as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    pack: Option<String>,
    kind: Option<String>,
    name: Option<String>,
    path: Option<String>,
    line: Option<String>,
    reason: String,
}

/// An entry, ready to be matched.
struct Exception {
    kind: Option<String>,
    name: Option<Regex>,
    path: Option<Regex>,
    line: Option<Regex>,
    reason: String,
    used: u64,
}

/// The exceptions that hold for one language, and how often each was used.
pub(super) struct Exceptions(Vec<Exception>);

impl Exceptions {
    /// Those of the repository for `pack`.
    pub(super) fn load(pack: &str) -> Result<Self> {
        Self::parse(&workspace::text(FILE)?, pack).context(FILE)
    }

    fn parse(text: &str, pack: &str) -> Result<Self> {
        let file: File = toml::from_str(text)?;
        let held = file.exception.into_iter().filter(|it| it.pack.as_deref().is_none_or(|name| name == pack));
        let compile = |written: Written| -> Result<Exception> {
            let pattern = |text: Option<String>| text.map(|text| Regex::new(&text)).transpose();
            let whole = |text: String| format!("^(?:{text})$");
            Ok(Exception {
                kind: written.kind,
                name: pattern(written.name.map(whole))?,
                path: pattern(written.path)?,
                line: pattern(written.line)?,
                reason: written.reason,
                used: 0,
            })
        };
        Ok(Self(held.map(compile).collect::<Result<_>>()?))
    }

    /// Whether one of them fits the tag, which stands on `line`.
    pub(super) fn excuse(&mut self, tag: &Tag, line: &str) -> bool {
        let fits = |pattern: &Option<Regex>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
        };
        let found = self.0.iter_mut().find(|it| {
            it.kind.as_ref().is_none_or(|kind| *kind == tag.kind)
                && fits(&it.name, &tag.name)
                && fits(&it.path, &tag.path)
                && fits(&it.line, line)
        });
        found.map(|it| it.used += 1).is_some()
    }

    /// Prints those that were used.
    pub(super) fn print(&self) {
        for it in self.0.iter().filter(|it| it.used > 0) {
            println!("excused {}: {}", count(it.used), it.reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_given_condition_has_to_fit() {
        let text = "[[exception]]\npack = 'x'\nname = 'a.'\nline = '^#'\nreason = 'why'\n";
        let tag =
            |name: &str| Tag { name: name.to_owned(), path: String::new(), line: 1, kind: String::new() };
        let mut held = Exceptions::parse(text, "x").expect("the text is sound");
        assert!(held.excuse(&tag("ab"), "# line"));
        assert!(!held.excuse(&tag("abc"), "# line"));
        assert!(!held.excuse(&tag("ab"), "line"));
        assert!(!Exceptions::parse(text, "y").expect("the text is sound").excuse(&tag("ab"), "# line"));
    }

    #[test]
    fn the_exceptions_of_the_repository_can_be_read() {
        assert!(Exceptions::load("").is_ok());
    }
}
