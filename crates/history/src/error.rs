//! Why the history of a tree gives no answer.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// What is wrong, by who can mend it.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// The folder lies in no repository: there is nothing to compare with.
    #[error("{} lies in no git repository", .0.display())]
    NoRepository(PathBuf),
    /// The user named a revision that there is not.
    #[error("there is no revision `{revision}`")]
    Unknown {
        /// As it was written.
        revision: String,
        /// The names that are nearest to it, best first.
        near: Vec<String>,
    },
    /// The user wrote something that names no revision, or more than one.
    #[error("`{revision}` cannot be used: {reason}")]
    Unusable {
        /// As it was written.
        revision: String,
        /// Why not.
        reason: String,
    },
    /// The repository keeps its things in a form that is not read.
    #[error("the repository cannot be read: {0}")]
    Unsupported(&'static str),
    /// An object is missing or is not what it should be.
    #[error("the repository is damaged: {0}")]
    Damaged(String),
    /// A file of the repository cannot be read.
    #[error("cannot read the repository: {0}")]
    Io(#[from] io::Error),
}
