//! Announces that the facts of all files are up to date while a refresh goes on with resolution.

use crate::watcher::WatcherCore;
use orient_engine::{Phase, Progress};
use std::time::{Duration, Instant};

/// Forwards progress, and releases the queries that need facts only as soon as they are committed.
pub(crate) struct FactsReadyNotifier<'t> {
    pub(crate) core: &'t WatcherCore,
    pub(crate) progress: &'t dyn Progress,
    /// When the refresh began.
    pub(crate) begun: Instant,
}

impl Progress for FactsReadyNotifier<'_> {
    fn phase(&self, phase: Phase, files: u64, bytes: u64) {
        self.progress.phase(phase, files, bytes);
    }

    fn tick(&self, files: u64, bytes: u64) {
        self.progress.tick(files, bytes);
    }

    fn waiting(&self, holder: Option<u32>, waited: Duration) {
        self.progress.waiting(holder, waited);
    }

    fn known(&self, generation: u64) {
        self.core.record_facts(generation, self.begun);
        self.progress.known(generation);
    }

    fn done(&self) {
        self.progress.done();
    }
}
