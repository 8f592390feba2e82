//! Exceptions: tags that we omit deliberately, by kind, each with its reason.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use super::tags::Tag;
use crate::report::count;
use crate::workspace;
use anyhow::{Context, Result};
use regex::Regex;
use serde::Deserialize;

/// The file with the exceptions.
const FILE: &str = "xtask/crosscheck-exceptions.toml";

/// The placeholder for the name of the tag in a pattern.
const NAME: &str = "{name}";

/// Whether a line matches a pattern, with the name of the tag filled in.
fn matches(pattern: &str, tag: &Tag, line: &str) -> bool {
    let pattern = pattern.replace(NAME, &regex::escape(&tag.name));
    Regex::new(&pattern).is_ok_and(|pattern| pattern.is_match(line))
}

/// The parsed file.
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
    unless: Option<String>,
    inside: Option<String>,
    reason: String,
}

/// A compiled entry.
struct Exception {
    kind: Option<String>,
    name: Option<Regex>,
    path: Option<Regex>,
    /// Both with `{name}` for the name of the tag.
    line: Option<String>,
    unless: Option<String>,
    inside: Option<Regex>,
    reason: String,
    used: u64,
}

/// The exceptions of one language, and how often each applied.
pub(super) struct Exceptions(Vec<Exception>);

impl Exceptions {
    /// The exceptions of a pack.
    pub(super) fn load(pack: &str) -> Result<Self> {
        Self::parse(&workspace::text(FILE)?, pack).context(FILE)
    }

    fn parse(text: &str, pack: &str) -> Result<Self> {
        let file: File = toml::from_str(text)?;
        let held = file.exception.into_iter().filter(|it| it.pack.as_deref().is_none_or(|name| name == pack));
        let compile = |written: Written| -> Result<Exception> {
            let pattern = |text: Option<String>| text.map(|text| Regex::new(&text)).transpose();
            let checked = |text: Option<String>| -> Result<Option<String>> {
                text.as_deref().map(|text| Regex::new(&text.replace(NAME, ""))).transpose()?;
                Ok(text)
            };
            let whole = |text: String| format!("^(?:{text})$");
            Ok(Exception {
                kind: written.kind,
                name: pattern(written.name.map(whole))?,
                path: pattern(written.path)?,
                line: checked(written.line)?,
                unless: checked(written.unless)?,
                inside: pattern(written.inside.map(whole))?,
                reason: written.reason,
                used: 0,
            })
        };
        Ok(Self(held.map(compile).collect::<Result<_>>()?))
    }

    /// Whether an exception applies to a tag on `line` inside nodes of the kinds `around`.
    pub(super) fn excuse(&mut self, tag: &Tag, line: &str, around: &dyn Fn() -> Vec<String>) -> bool {
        let fits = |pattern: &Option<Regex>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
        };
        let found = self.0.iter_mut().find(|it| {
            it.kind.as_ref().is_none_or(|kind| *kind == tag.kind)
                && fits(&it.name, &tag.name)
                && fits(&it.path, &tag.path)
                && it.line.as_ref().is_none_or(|it| matches(it, tag, line))
                && it.unless.as_ref().is_none_or(|it| !matches(it, tag, line))
                && it.inside.as_ref().is_none_or(|inside| around().iter().any(|kind| inside.is_match(kind)))
        });
        found.map(|it| it.used += 1).is_some()
    }

    /// Prints the exceptions that applied.
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
        let nowhere = || Vec::new();
        assert!(held.excuse(&tag("ab"), "# line", &nowhere));
        assert!(!held.excuse(&tag("abc"), "# line", &nowhere));
        assert!(!held.excuse(&tag("ab"), "line", &nowhere));
        let mut other = Exceptions::parse(text, "y").expect("the text is sound");
        assert!(!other.excuse(&tag("ab"), "# line", &nowhere));
        let text = "[[exception]]\nunless = 'class {name}'\ninside = 'string'\nreason = 'why'\n";
        let mut held = Exceptions::parse(text, "x").expect("the text is sound");
        let text = || vec!["string".to_owned()];
        assert!(held.excuse(&tag("a+"), "class b", &text));
        assert!(!held.excuse(&tag("a+"), "class a+", &text));
        assert!(!held.excuse(&tag("a+"), "class b", &nowhere));
    }

    #[test]
    fn the_exceptions_of_the_repository_can_be_read() {
        assert!(Exceptions::load("").is_ok());
    }
}
