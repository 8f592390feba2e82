//! Progress of the refresh in the background, as seen by queries that wait for it.

use orient_engine::{Phase, Progress};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The progress at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProgressSnapshot {
    phase: Option<Phase>,
    /// Counts phases: the same phase may run twice.
    number: u64,
    of: (u64, u64),
    done: (u64, u64),
}

/// Records the progress of the refresh in the background.
#[derive(Default)]
pub(crate) struct BackgroundProgress(Mutex<ProgressSnapshot>);

impl BackgroundProgress {
    fn change(&self, change: impl FnOnce(&mut ProgressSnapshot)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn snapshot(&self) -> ProgressSnapshot {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forwards what happened since the snapshot, and updates it.
    pub(crate) fn report(&self, reported: &mut ProgressSnapshot, progress: &dyn Progress) {
        let now = self.snapshot();
        let Some(phase) = now.phase else { return };
        if now.number != reported.number {
            progress.phase(phase, now.of.0, now.of.1);
            *reported = ProgressSnapshot { done: (0, 0), ..now };
        }
        let (files, bytes) = (now.done.0 - reported.done.0, now.done.1 - reported.done.1);
        if files > 0 {
            progress.tick(files, bytes);
        }
        *reported = now;
    }
}

impl Progress for BackgroundProgress {
    fn phase(&self, phase: Phase, files: u64, bytes: u64) {
        self.change(|now| {
            *now = ProgressSnapshot {
                phase: Some(phase),
                number: now.number + 1,
                of: (files, bytes),
                done: (0, 0),
            };
        });
    }

    fn tick(&self, files: u64, bytes: u64) {
        self.change(|now| now.done = (now.done.0 + files, now.done.1 + bytes));
    }

    fn waiting(&self, _holder: Option<u32>, _waited: Duration) {}

    fn done(&self) {
        self.change(|now| now.phase = None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[derive(Default)]
    struct Log(RefCell<Vec<String>>);

    impl Progress for Log {
        fn phase(&self, phase: Phase, files: u64, _: u64) {
            self.0.borrow_mut().push(format!("{} {files}", phase.as_str()));
        }
        fn tick(&self, files: u64, _: u64) {
            self.0.borrow_mut().push(format!("+{files}"));
        }
        fn waiting(&self, _: Option<u32>, _: Duration) {}
        fn done(&self) {}
    }

    #[test]
    fn a_waiting_query_sees_each_step_once() {
        let (background_progress, log, mut reported) =
            (BackgroundProgress::default(), Log::default(), ProgressSnapshot::default());
        background_progress.report(&mut reported, &log);
        background_progress.phase(Phase::Reading, 9, 90);
        background_progress.tick(2, 20);
        background_progress.report(&mut reported, &log);
        background_progress.report(&mut reported, &log);
        background_progress.tick(1, 10);
        background_progress.report(&mut reported, &log);
        background_progress.phase(Phase::Resolving, 9, 0);
        background_progress.report(&mut reported, &log);
        background_progress.done();
        background_progress.report(&mut reported, &log);
        assert_eq!(log.0.into_inner(), ["indexing 9", "+2", "+1", "resolving 9"]);
    }
}
