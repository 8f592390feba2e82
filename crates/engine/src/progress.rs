//! What long work tells those who wait for it, and how they end it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Looking which files there are.
    Listing,
    /// Reading what is new or may have changed.
    Reading,
    /// Finding out what uses mean.
    Resolving,
    /// Putting the index in its final place.
    Finishing,
    /// Having chunks embedded by a provider.
    Embedding,
}

impl Phase {
    /// The word users see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Listing => "listing",
            Self::Reading => "indexing",
            Self::Resolving => "resolving",
            Self::Finishing => "finishing",
            Self::Embedding => "embedding",
        }
    }

    /// What is counted.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Embedding => "chunks",
            _ => "files",
        }
    }
}

/// Somebody who watches. All calls come from the thread that asked for the work.
pub trait Progress {
    /// A phase begins; `files` and `bytes` are what lies ahead, zero where that is not known.
    fn phase(&self, phase: Phase, files: u64, bytes: u64);
    /// So much more is done.
    fn tick(&self, files: u64, bytes: u64);
    /// Another process writes the index; `holder` is its number, as far as it says.
    fn waiting(&self, holder: Option<u32>, waited: Duration);
    /// The index now knows what is in every file, as this generation; what uses mean is still being found out.
    fn known(&self, _generation: u64) {}
    /// All phases are over, well or not.
    fn done(&self);
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn phase(&self, _: Phase, _: u64, _: u64) {}
    fn tick(&self, _: u64, _: u64) {}
    fn waiting(&self, _: Option<u32>, _: Duration) {}
    fn done(&self) {}
}

/// A flag that ends long work at the next file. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to end; the index stays as it was.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether that was asked.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Asks for a pause: what was done by then is kept, the rest is for another time.
#[derive(Clone, Debug, Default)]
pub struct Pause {
    /// Whether that was asked.
    pub asked: Cancel,
    /// For so long the work goes on in any case.
    pub after: Duration,
}
