//! Errors, grouped by what the caller can do about them.

use orient_model::RepoPath;
use orient_store::{PortableError, StoreError};
use orient_walk::{SkipReason, UnsuitableRoot, WalkError};
use std::time::Duration;
use thiserror::Error;

/// Why the engine could not complete a request.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The directory is not one to index, such as a home directory: the user names another or passes `--force`.
    #[error(transparent)]
    Refused(#[from] UnsuitableRoot),
    /// The tree cannot be walked: the user named a wrong directory or pattern.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// A setting has a value that turns out to be invalid when it is used.
    #[error("setting {key}: {problem}")]
    Setting {
        /// The full name of the setting.
        key: &'static str,
        /// What is wrong and what to write instead.
        problem: String,
    },
    /// There is no directory for the index: the user must name one.
    #[error("there is no home directory for the index: name a directory with --store or ORIENT_STORE")]
    NoStore,
    /// The tree has no index yet: refresh first.
    #[error("nothing is indexed here yet: run `orient index`")]
    NotIndexed,
    /// Another process is building the first index and the caller does not wait for it.
    #[error("another process{} is building the index; try again in a moment", shown(*.holder))]
    Busy {
        /// The process id of the writer, if known.
        holder: Option<u32>,
        /// How long the caller waited.
        waited: Duration,
    },
    /// Another process holds the write lock and does not respond: the user resumes or ends it.
    #[error(
        "process {holder} is writing the index and does not respond: continue it with `kill -CONT {holder}`, or end it with \
         `kill -KILL {holder}`, then try again"
    )]
    Stuck {
        /// The process id of the writer.
        holder: u32,
        /// How long the caller waited.
        waited: Duration,
    },
    /// The caller cancelled; the index is unchanged.
    #[error("cancelled")]
    Cancelled,
    /// An indexed file cannot be read now.
    #[error("{} cannot be shown: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: RepoPath,
        /// The reason.
        reason: SkipReason,
    },
    /// The graph refers to a file or symbol that the index does not have: the index is damaged and must be rebuilt.
    #[error(
        "the graph refers to a {what} that is not in the index: rebuild it with `orient index --rebuild`"
    )]
    DanglingNode {
        /// What is missing.
        what: &'static str,
    },
    /// Vectors of a remote model cannot be stored, so no more are requested.
    #[error("vectors cannot be stored in {}: {reason}", path.display())]
    VectorsNotStored {
        /// The file they should be stored in.
        path: std::path::PathBuf,
        /// The reason.
        reason: String,
    },
    /// A portable index cannot be written or read.
    #[error("{}: {source}", path.display())]
    Portable {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong.
        source: PortableError,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The operating system refused a thread or a file.
    #[error("the operating system refused: {0}")]
    System(#[from] std::io::Error),
}

fn shown(holder: Option<u32>) -> String {
    holder.map_or_else(String::new, |pid| format!(" (process {pid})"))
}
