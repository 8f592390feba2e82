//! Progress reporting and cancellation of long operations.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A phase of a long operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Listing the files of the tree.
    Listing,
    /// Reading new and possibly changed files.
    Reading,
    /// Resolving references.
    Resolving,
    /// Moving the finished index into place.
    Finishing,
    /// Embedding chunks with a provider.
    Embedding,
    /// Questions to language servers.
    Enriching,
    /// Indexing the history.
    History,
    /// Writing a portable index.
    Exporting,
    /// Reading a portable index.
    Importing,
}

impl Phase {
    /// The word that users see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Listing => "listing",
            Self::Reading => "indexing",
            Self::Resolving => "resolving",
            Self::Finishing => "finishing",
            Self::Embedding => "embedding",
            Self::Enriching => "enriching",
            Self::History => "history",
            Self::Exporting => "exporting",
            Self::Importing => "importing",
        }
    }

    /// The unit that is counted.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Embedding => "chunks",
            Self::Enriching => "questions",
            Self::History => "commits",
            Self::Exporting | Self::Importing => "rows",
            _ => "files",
        }
    }
}

/// Receives progress. All calls come from the thread that started the operation.
pub trait Progress {
    /// A phase begins; `files` and `bytes` are its expected amount, zero if unknown.
    fn phase(&self, phase: Phase, files: u64, bytes: u64);
    /// This much more is done.
    fn tick(&self, files: u64, bytes: u64);
    /// Another process writes the index; `holder` is its process id, if known.
    fn waiting(&self, holder: Option<u32>, waited: Duration);
    /// The facts of every file are committed as this generation; resolution continues.
    fn known(&self, _generation: u64) {}
    /// All phases ended, successfully or not.
    fn done(&self);
}

/// Ignores progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn phase(&self, _: Phase, _: u64, _: u64) {}
    fn tick(&self, _: u64, _: u64) {}
    fn waiting(&self, _: Option<u32>, _: Duration) {}
    fn done(&self) {}
}

/// A flag that ends a long operation at the next file. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Requests cancellation; the index stays unchanged.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A request to pause resolution: finished work is kept, the rest stays owed.
#[derive(Clone, Debug, Default)]
pub struct Pause {
    /// Whether a pause was requested.
    pub asked: Cancel,
    /// Minimum time to work before pausing.
    pub after: Duration,
}
