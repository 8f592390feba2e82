//! Errors in language packs. Extraction itself never fails.

/// An error in a pack. A test proves that no built-in pack has one.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// The file has an unknown key, or a value of the wrong type.
    #[error("{pack}/{file}: {message}")]
    Syntax {
        /// The pack.
        pack: String,
        /// Its file.
        file: String,
        /// The message of its reader.
        message: String,
    },
    /// The grammar is not compiled in.
    #[error("{pack}: no grammar is called `{grammar}`")]
    Grammar {
        /// The pack.
        pack: String,
        /// The name of the grammar.
        grammar: String,
    },
    /// A word that is not in the vocabulary.
    #[error("{pack}: {place}: unknown {what} `{word}`; expected one of: {known}")]
    Word {
        /// The pack.
        pack: String,
        /// The table entry.
        place: String,
        /// The word.
        word: String,
        /// What the word should be.
        what: &'static str,
        /// The words that are allowed.
        known: String,
    },
    /// A node kind or field that the grammar does not have.
    #[error("{pack}: {place}: the grammar has no {what} `{word}`")]
    Unknown {
        /// The pack.
        pack: String,
        /// The table entry.
        place: String,
        /// `node kind` or `field`.
        what: &'static str,
        /// The word.
        word: String,
    },
    /// A query that does not compile.
    #[error("{pack}/tags.scm: {message}")]
    Query {
        /// The pack.
        pack: String,
        /// The message of the query compiler.
        message: String,
    },
    /// A pattern that does not compile.
    #[error("{pack}: {place}: {message}")]
    Pattern {
        /// The pack.
        pack: String,
        /// Its key.
        place: String,
        /// The message of the pattern compiler.
        message: String,
    },
}

impl PackError {
    /// The error for a file that cannot be read.
    pub(crate) fn syntax(pack: &str, file: &str, message: &dyn std::fmt::Display) -> Self {
        Self::Syntax { pack: pack.to_owned(), file: file.to_owned(), message: message.to_string() }
    }
}
