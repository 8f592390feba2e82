//! Stands in where the system gives no ordered queue of notices: nothing is watched.

use crate::dirty::Change;
use crate::limits::Unwatchable;
use orient_engine::Subtrees;
use orient_model::RepoPath;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// What is noticed.
pub(crate) enum Notice {
    /// Something changed at a path.
    Change(RepoPath, Change),
    /// Notices were lost.
    Lost,
}

/// A watcher there is none of.
pub(crate) enum Watch {}

impl Watch {
    pub(crate) fn open(_root: &Path) -> Result<(Self, Bell), Unwatchable> {
        Err(Unwatchable::System)
    }

    pub(crate) fn add(&mut self, _folder: &RepoPath) -> Result<bool, Unwatchable> {
        match *self {}
    }

    pub(crate) fn forget(&mut self, _region: &Subtrees) {}

    pub(crate) fn keep_only(&mut self, _folders: &BTreeSet<RepoPath>) {}

    pub(crate) fn holds(&self, _region: &Subtrees) -> bool {
        match *self {}
    }

    pub(crate) fn drain(&mut self, _see: impl FnMut(Notice)) -> Result<(), Unwatchable> {
        match *self {}
    }
}

/// Wakes whoever waits.
#[derive(Default)]
pub(crate) struct Bell(Mutex<bool>, Condvar);

impl Bell {
    pub(crate) fn alone() -> Self {
        Self::default()
    }

    pub(crate) fn ring(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.1.notify_all();
    }

    pub(crate) fn wait(&self, most: Option<Duration>) {
        let rung = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let most = most.unwrap_or(Duration::from_hours(1));
        let (mut rung, _) =
            self.1.wait_timeout_while(rung, most, |rung| !*rung).unwrap_or_else(PoisonError::into_inner);
        *rung = false;
    }
}
