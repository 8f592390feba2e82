//! Replaces inotify on systems without an ordered queue of change notifications: nothing is watched.

use crate::dirty_paths::ChangeKind;
use crate::watch_limits::Unwatchable;
use orient_engine::Subtrees;
use orient_model::RepoPath;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A change notification.
pub(crate) enum WatchEvent {
    /// Something changed at a path.
    Change(RepoPath, ChangeKind),
    /// Notifications were lost.
    Overflow,
}

/// Watches that cannot exist.
pub(crate) enum WatchSet {}

impl WatchSet {
    pub(crate) fn open(_root: &Path) -> Result<(Self, Waker), Unwatchable> {
        Err(Unwatchable::System)
    }

    pub(crate) fn add(&mut self, _directory: &RepoPath) -> Result<bool, Unwatchable> {
        match *self {}
    }

    pub(crate) fn remove(&mut self, _region: &Subtrees) {}

    pub(crate) fn keep_only(&mut self, _directories: &BTreeSet<RepoPath>) {}

    pub(crate) fn intersects(&self, _region: &Subtrees) -> bool {
        match *self {}
    }

    pub(crate) fn drain(&mut self, _handle: impl FnMut(WatchEvent)) -> Result<(), Unwatchable> {
        match *self {}
    }
}

/// Wakes the thread that waits.
#[derive(Default)]
pub(crate) struct Waker(Mutex<bool>, Condvar);

impl Waker {
    pub(crate) fn detached() -> Self {
        Self::default()
    }

    pub(crate) fn wake(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.1.notify_all();
    }

    pub(crate) fn wait(&self, timeout: Option<Duration>) {
        let woken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let timeout = timeout.unwrap_or(Duration::from_hours(1));
        let (mut woken, _) = self
            .1
            .wait_timeout_while(woken, timeout, |woken| !*woken)
            .unwrap_or_else(PoisonError::into_inner);
        *woken = false;
    }
}
