//! A remark beside an answer, and the argument that changes what it reports.

use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// A remark beside an answer, or the reason why an answer is partial.
///
/// The text names no argument, so each interface spells the argument its own way. `200 of 272 shown` with the argument
/// `per_level` is `200 of 272 shown (see --per-level)` on the command line, `200 of 272 shown (see per_level)` for a tool
/// that takes this argument, and `200 of 272 shown` for a tool that does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The remark.
    pub text: String,
    /// The argument of the operation that changes what the note reports.
    pub argument: Option<&'static str>,
    /// What the reader can do about it.
    pub remedy: Option<String>,
}

impl Note {
    /// The same note with the argument that changes what it reports.
    #[must_use]
    pub(crate) fn see(self, argument: &'static str) -> Self {
        Self { argument: Some(argument), ..self }
    }

    /// The note for the command line: the argument is a flag.
    pub fn with_flag(&self) -> Cow<'_, str> {
        match self.argument {
            Some(argument) => format!("{} (see --{})", self.whole(), argument.replace('_', "-")).into(),
            None => self.whole(),
        }
    }

    /// The note for a program. `key_of` gives the key that sets an argument; without one the argument is not mentioned.
    pub fn with_key<'k>(&self, key_of: impl FnOnce(&str) -> Option<&'k str>) -> Cow<'_, str> {
        match self.argument.and_then(key_of) {
            Some(key) => format!("{} (see {key})", self.whole()).into(),
            None => self.whole(),
        }
    }

    /// The remark with what can be done about it.
    fn whole(&self) -> Cow<'_, str> {
        match &self.remedy {
            Some(remedy) => format!("{}; {remedy}", self.text).into(),
            None => Cow::Borrowed(&self.text),
        }
    }
}

impl From<String> for Note {
    fn from(text: String) -> Self {
        Self { text, argument: None, remedy: None }
    }
}

impl From<&str> for Note {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.with_flag())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_interface_spells_the_argument_its_own_way() {
        let note = Note::from("200 of 272 shown").see("per_level");
        assert_eq!(note.with_flag(), "200 of 272 shown (see --per-level)");
        assert_eq!(note.with_key(|_| Some("width")), "200 of 272 shown (see width)");
        assert_eq!(note.with_key(|_| None), "200 of 272 shown");
        assert_eq!(Note::from("3 of 9 listed").with_flag(), "3 of 9 listed");
    }

    #[test]
    fn a_note_is_a_string_in_json() {
        let note = Note::from("3 tests left out").see("no_tests");
        assert_eq!(serde_json::to_value(note).ok(), Some("3 tests left out (see --no-tests)".into()));
    }
}
