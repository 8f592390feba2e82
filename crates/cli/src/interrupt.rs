//! Handles Ctrl-C: indexing stops at the next file and keeps the last committed state; everything else exits at once.

use orient_engine::Cancel;
use orient_tools::Exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long indexing may take to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// What the signal handler shares with the main thread.
#[derive(Clone, Default)]
pub(crate) struct Interrupt {
    /// Cancels the work.
    pub(crate) cancel: Cancel,
    indexing: Arc<AtomicBool>,
    paging: Arc<AtomicBool>,
}

impl Interrupt {
    /// Installs the handler. Without one, Ctrl-C kills the process, which the index survives too.
    pub(crate) fn install() -> Self {
        let interrupt = Self::default();
        let shared = interrupt.clone();
        let _ = ctrlc::set_handler(move || shared.signalled());
        interrupt
    }

    /// Sets whether indexing is in progress.
    pub(crate) fn set_indexing(&self, on: bool) {
        self.indexing.store(on, Ordering::Relaxed);
    }

    /// The flag to set once a pager runs: it handles Ctrl-C itself.
    pub(crate) fn paging(&self) -> Arc<AtomicBool> {
        self.paging.clone()
    }

    fn signalled(&self) {
        if self.paging.load(Ordering::Relaxed) {
            return;
        }
        if self.indexing.load(Ordering::Relaxed) && !self.cancel.is_cancelled() {
            self.cancel.cancel();
            std::thread::sleep(STOP_TIMEOUT);
        }
        orient_tools::end_child_processes();
        std::process::exit(i32::from(Exit::Interrupted as u8));
    }
}
