//! The state of compiling a node table: looks words up in the vocabulary and in the grammar, and collects errors.

use crate::schema::error::PackError;
use crate::schema::vocabulary::UnknownWord;
use orient_grammars::Language;

/// Compiles the entries of a node table.
pub(super) struct Compiler<'a> {
    pub(super) pack: &'a str,
    pub(super) language: &'a Language,
    /// The key being compiled, for errors.
    pub(super) place: String,
    /// Whether a node kind or field that the grammar lacks is an error. It is none in inherited entries.
    pub(super) strict: bool,
    /// Tokens that node paths or roles refer to, which the flat tree must keep.
    pub(super) needed_tokens: Vec<u16>,
    pub(super) errors: Vec<PackError>,
}

impl Compiler<'_> {
    /// The meaning of a word of the vocabulary.
    pub(super) fn word<T>(&mut self, word: &str, find: impl Fn(&str) -> Result<T, UnknownWord>) -> Option<T> {
        find(word).map_err(|unknown| drop(self.unknown::<T>(word, &unknown))).ok()
    }

    /// Reports a word that the vocabulary lacks.
    pub(super) fn unknown<T>(&mut self, word: &str, unknown: &UnknownWord) -> Option<T> {
        self.errors.push(PackError::Word {
            pack: self.pack.to_owned(),
            place: self.place.clone(),
            word: word.to_owned(),
            what: unknown.what,
            known: unknown.known.join(", "),
        });
        None
    }

    /// The id of a node kind; quotes mark an anonymous token.
    pub(super) fn kind(&mut self, kind: &str) -> Option<u16> {
        let (name, named) = match kind.strip_prefix('\'').and_then(|kind| kind.strip_suffix('\'')) {
            Some(token) => (token, false),
            None => (kind, true),
        };
        let id = self.language.id_for_node_kind(name, named);
        // A keyword may be a named or an anonymous kind; accept either if only one exists.
        let id = if id == 0 { self.language.id_for_node_kind(name, !named) } else { id };
        if id == 0 {
            self.lacks("node kind", kind);
            return None;
        }
        Some(id)
    }

    /// Reports a node kind or field that the grammar lacks.
    pub(super) fn lacks(&mut self, what: &'static str, word: &str) {
        if self.strict {
            self.errors.push(PackError::Unknown {
                pack: self.pack.to_owned(),
                place: self.place.clone(),
                what,
                word: word.to_owned(),
            });
        }
    }
}
