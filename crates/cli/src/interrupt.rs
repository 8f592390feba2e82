//! Ctrl-C: indexing ends at the next file and leaves the last committed state; anything else ends at once.

use orient_engine::Cancel;
use orient_tools::Exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long indexing may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(3);

/// What the signal handler and the work share.
#[derive(Clone, Default)]
pub(crate) struct Interrupt {
    /// Ends the work.
    pub(crate) cancel: Cancel,
    indexing: Arc<AtomicBool>,
    paging: Arc<AtomicBool>,
}

impl Interrupt {
    /// Starts to listen. Without a handler Ctrl-C ends the process the hard way, which the index survives too.
    pub(crate) fn install() -> Self {
        let interrupt = Self::default();
        let shared = interrupt.clone();
        let _ = ctrlc::set_handler(move || shared.signalled());
        interrupt
    }

    /// Says whether there is work going on that should end in its own way.
    pub(crate) fn indexing(&self, on: bool) {
        self.indexing.store(on, Ordering::Relaxed);
    }

    /// To be set once a pager shows the answer, which has its own use for Ctrl-C.
    pub(crate) fn paging(&self) -> Arc<AtomicBool> {
        self.paging.clone()
    }

    fn signalled(&self) {
        if self.paging.load(Ordering::Relaxed) {
            return;
        }
        if self.indexing.load(Ordering::Relaxed) && !self.cancel.is_cancelled() {
            self.cancel.cancel();
            std::thread::sleep(PATIENCE);
        }
        std::process::exit(i32::from(Exit::Interrupted as u8));
    }
}
