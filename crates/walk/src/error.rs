//! Errors of a whole walk. Errors of a single file are a [`crate::SkipReason`].

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a tree cannot be walked.
#[derive(Debug, Error)]
pub enum WalkError {
    /// The root does not exist, is not a directory, or cannot be read.
    #[error("cannot read the directory {}: {source}", path.display())]
    Root {
        /// The directory.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// An exclude pattern of the settings is not a valid glob.
    #[error(
        "`{pattern}` is not a pattern for files to leave out: {reason} (an example: `target/` or `*.min.js`)"
    )]
    Pattern {
        /// The pattern as given.
        pattern: String,
        /// Why it is not valid.
        reason: String,
    },
    /// A path to search is outside the tree.
    #[error("{} is not in {}; search there with `--root`", path.display(), root.display())]
    Outside {
        /// The path as typed.
        path: PathBuf,
        /// The tree.
        root: PathBuf,
    },
    /// A glob or file type of a search is not valid.
    #[error("{reason}")]
    Filter {
        /// Why it is not valid.
        reason: String,
    },
    /// A stored tree cannot be read: an object is missing or damaged.
    #[error("{reason}")]
    Stored {
        /// What is wrong, and what to do about it.
        reason: String,
    },
}
