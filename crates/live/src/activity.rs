//! What is being done in the background, for those who wait for it.

use orient_engine::{Phase, Progress};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Where the work in the background stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stand {
    phase: Option<Phase>,
    /// Counts phases, so that two of the same kind are told apart.
    number: u64,
    of: (u64, u64),
    done: (u64, u64),
}

/// Takes down the progress of the work in the background.
#[derive(Default)]
pub(crate) struct Activity(Mutex<Stand>);

impl Activity {
    fn change(&self, change: impl FnOnce(&mut Stand)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn stand(&self) -> Stand {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells what happened since `told`, which is brought up to date.
    pub(crate) fn tell(&self, told: &mut Stand, progress: &dyn Progress) {
        let now = self.stand();
        let Some(phase) = now.phase else { return };
        if now.number != told.number {
            progress.phase(phase, now.of.0, now.of.1);
            *told = Stand { done: (0, 0), ..now };
        }
        let (files, bytes) = (now.done.0 - told.done.0, now.done.1 - told.done.1);
        if files > 0 {
            progress.tick(files, bytes);
        }
        *told = now;
    }
}

impl Progress for Activity {
    fn phase(&self, phase: Phase, files: u64, bytes: u64) {
        self.change(|stand| {
            *stand = Stand { phase: Some(phase), number: stand.number + 1, of: (files, bytes), done: (0, 0) };
        });
    }

    fn tick(&self, files: u64, bytes: u64) {
        self.change(|stand| stand.done = (stand.done.0 + files, stand.done.1 + bytes));
    }

    fn waiting(&self, _holder: Option<u32>, _waited: Duration) {}

    fn done(&self) {
        self.change(|stand| stand.phase = None);
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
    fn whoever_waits_is_told_each_step_once() {
        let (activity, log, mut told) = (Activity::default(), Log::default(), Stand::default());
        activity.tell(&mut told, &log);
        activity.phase(Phase::Reading, 9, 90);
        activity.tick(2, 20);
        activity.tell(&mut told, &log);
        activity.tell(&mut told, &log);
        activity.tick(1, 10);
        activity.tell(&mut told, &log);
        activity.phase(Phase::Resolving, 9, 0);
        activity.tell(&mut told, &log);
        activity.done();
        activity.tell(&mut told, &log);
        assert_eq!(log.0.into_inner(), ["indexing 9", "+2", "+1", "resolving 9"]);
    }
}
