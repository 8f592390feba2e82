//! What is told while the index is brought up to date: that it knows every file, before it knows what all uses mean.

use crate::keeper::Shared;
use orient_engine::{Phase, Progress};
use std::time::{Duration, Instant};

/// Passes on what whoever waits is told, and lets those go on who need no more than what is in the files.
pub(crate) struct Telling<'t> {
    pub(crate) shared: &'t Shared,
    pub(crate) progress: &'t dyn Progress,
    /// When the work began.
    pub(crate) begun: Instant,
}

impl Progress for Telling<'_> {
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
        self.shared.knows(generation, self.begun);
        self.progress.known(generation);
    }

    fn done(&self) {
        self.progress.done();
    }
}
