//! What can go wrong with a whole walk; what goes wrong with one file is a [`crate::SkipReason`].

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a tree cannot be walked at all.
#[derive(Debug, Error)]
pub enum WalkError {
    /// The root is not there, is no directory, or may not be read: the caller named the wrong one.
    #[error("cannot read the directory {}: {source}", path.display())]
    Root {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// An exclude pattern of the settings is not a glob: the user must mend it.
    #[error(
        "`{pattern}` is not a pattern for files to leave out: {reason} (an example: `target/` or `*.min.js`)"
    )]
    Pattern {
        /// The pattern as given.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A path to search that does not lie in the tree: nothing outside of it is read.
    #[error("{} does not lie in {}; search there with `--root`", path.display(), root.display())]
    Outside {
        /// The path as it was typed.
        path: PathBuf,
        /// The tree.
        root: PathBuf,
    },
    /// A glob or a type that a search was narrowed by cannot be read: the user must mend it.
    #[error("{reason}")]
    Filter {
        /// What is wrong with it.
        reason: String,
    },
}
