//! What can go wrong, by what the caller can do about it.

use orient_model::RepoPath;
use orient_store::StoreError;
use orient_walk::{SkipReason, UnsuitableRoot, WalkError};
use std::time::Duration;
use thiserror::Error;

/// Why the engine could not do what was asked.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The folder is one that nobody means to index: the user names another, or insists.
    #[error(transparent)]
    Refused(#[from] UnsuitableRoot),
    /// The tree cannot be walked: the user named the wrong folder or a wrong pattern.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// A setting holds something that only shows to be wrong when it is used.
    #[error("setting {key}: {problem}")]
    Setting {
        /// The full name of the setting.
        key: &'static str,
        /// What is wrong and what to write instead.
        problem: String,
    },
    /// There is no folder for the index: the user must name one.
    #[error("there is no home folder to keep the index in: name a folder with --store or ORIENT_STORE")]
    NoStore,
    /// Nothing is indexed here yet: refresh first.
    #[error("nothing is indexed here yet: run `orient index`")]
    NotIndexed,
    /// Another process builds the first index and the caller did not want to wait for it.
    #[error("another process{} is building the index; try again in a moment", shown(*.holder))]
    Busy {
        /// The number of the process, as far as it says.
        holder: Option<u32>,
        /// How long was waited.
        waited: Duration,
    },
    /// Another process holds the lock of the index and shows no sign of life: the user continues or ends it.
    #[error(
        "process {holder} is writing the index and does not respond: continue it with `kill -CONT {holder}`, or end it with \
         `kill -KILL {holder}`, then try again"
    )]
    Stuck {
        /// The number of the process.
        holder: u32,
        /// How long was waited.
        waited: Duration,
    },
    /// The caller asked to stop; the index is as it was.
    #[error("stopped")]
    Cancelled,
    /// A file of the index cannot be read now.
    #[error("{} cannot be shown: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: RepoPath,
        /// Why.
        reason: SkipReason,
    },
    /// The graph leads to something the index does not have: it is damaged, and must be made anew.
    #[error("the graph leads to a {what} that is not in the index: `orient index --rebuild` makes it anew")]
    Lost {
        /// What is not there.
        what: &'static str,
    },
    /// Vectors that were made elsewhere cannot be kept, so no more are asked for.
    #[error("vectors cannot be kept in {}: {reason}", path.display())]
    Unkept {
        /// Where they belong.
        path: std::path::PathBuf,
        /// Why not.
        reason: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system gives us no more threads or files.
    #[error("the system refused: {0}")]
    System(#[from] std::io::Error),
}

fn shown(holder: Option<u32>) -> String {
    holder.map_or_else(String::new, |pid| format!(" (process {pid})"))
}
