//! Errors of reading a git repository.

use crate::oid::Oid;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a git repository or revision cannot be read.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// The directory is not in a git repository.
    #[error("{} is not in a git repository", .0.display())]
    NoRepository(PathBuf),
    /// The revision does not exist.
    #[error("there is no revision `{revision}`")]
    Unknown {
        /// The revision as the user wrote it.
        revision: String,
        /// The most similar names, best first.
        near: Vec<String>,
    },
    /// The text is not a valid revision, or an ambiguous one.
    #[error("`{revision}` cannot be used: {reason}")]
    Unusable {
        /// The revision as the user wrote it.
        revision: String,
        /// Why not.
        reason: String,
    },
    /// The repository uses a format that is not supported.
    #[error("the repository cannot be read: {0}")]
    Unsupported(&'static str),
    /// A file of the repository is a link, no regular file, or too large, or belongs to another repository.
    #[error("the history is not read: {0}")]
    Refused(String),
    /// A commit has more files than are compared or listed.
    #[error(
        "commit {commit} has or changes more files than fit into the memory of a question: {limit} were read, and there are more"
    )]
    TooManyFiles {
        /// The commit.
        commit: String,
        /// Number of files that were read.
        limit: usize,
    },
    /// An object is missing or corrupt.
    #[error("the repository is damaged: {0}")]
    Damaged(String),
    /// An object that a partial clone did not fetch.
    #[error(
        "object {0} was not fetched: the clone is partial; `git fetch --refetch` without a filter fetches all objects"
    )]
    NotFetched(String),
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
    /// A file of the repository cannot be read.
    #[error("cannot read the repository: {0}")]
    Io(#[from] io::Error),
}

impl HistoryError {
    /// The same error about a commit, where only its trees were known.
    pub(crate) fn about(self, id: &Oid) -> Self {
        match self {
            Self::TooManyFiles { limit, .. } => Self::TooManyFiles { commit: id.to_string(), limit },
            other => other,
        }
    }

    /// Whether a commit is too large to be read as a whole: what concerns other commits can still be answered.
    pub fn is_too_large(&self) -> bool {
        matches!(self, Self::TooManyFiles { .. })
    }

    /// Whether the repository lacks an object or has a corrupt one: what does not need it can still be answered.
    pub fn is_missing_object(&self) -> bool {
        matches!(self, Self::Damaged(_) | Self::NotFetched(_))
    }
}
