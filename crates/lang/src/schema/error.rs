//! What can be wrong with a language pack. Extraction itself never fails.

/// A fault in a pack. Found by `check_packs`; a built-in pack never has one, a test sees to that.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// The file is not the TOML it should be.
    #[error("{pack}/{file}: {message}")]
    Syntax {
        /// The pack.
        pack: String,
        /// Its file.
        file: &'static str,
        /// What is wrong.
        message: String,
    },
    /// No such grammar was compiled in.
    #[error("{pack}: there is no grammar `{grammar}`")]
    Grammar {
        /// The pack.
        pack: String,
        /// The name it asks for.
        grammar: String,
    },
    /// A word that is not in the vocabulary.
    #[error("{pack}: {place}: `{word}` is not a known {what}; known: {known}")]
    Word {
        /// The pack.
        pack: String,
        /// The table entry.
        place: String,
        /// The word.
        word: String,
        /// What it should have been.
        what: &'static str,
        /// The closed list.
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
        /// What the query compiler says.
        message: String,
    },
    /// A pattern that does not compile.
    #[error("{pack}: {place}: {message}")]
    Pattern {
        /// The pack.
        pack: String,
        /// Where it stands.
        place: String,
        /// What is wrong with it.
        message: String,
    },
}
