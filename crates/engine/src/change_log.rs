//! The change log: which files each recent generation changed. In-memory caches follow it instead of being rebuilt.
//!
//! Only changes that this process committed are logged. Example: a cache holds generation 7 and a query reads
//! generation 9. If the log has 7→8 (`a.c`) and 8→9 (`b.c`), the cache drops `a.c` and `b.c` and keeps the rest; if
//! another process committed 8→9, the entry is missing and the cache starts over.

use orient_model::RepoPath;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of logged changes, and of files in all of them. Beyond that, a full read is as fast.
const MAX_ENTRIES: usize = 64;
const MAX_FILES: usize = 1000;

/// The logged changes.
#[derive(Default)]
pub(crate) struct ChangeLog(Mutex<LogEntries>);

/// The generation before each change, and the files that may differ after it.
type LogEntries = VecDeque<(u64, Vec<RepoPath>)>;

impl ChangeLog {
    fn lock(&self) -> MutexGuard<'_, LogEntries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Logs which files the next change may affect, before it is committed. The caller must be the only writer until
    /// the entry is dropped, so that readers see either the old generation or exactly the next one.
    pub(crate) fn begin(&self, from: u64, paths: Vec<RepoPath>) -> PendingChange<'_> {
        let mut log = self.lock();
        log.retain(|entry| entry.0 != from);
        log.push_back((from, paths));
        let files = |log: &LogEntries| log.iter().map(|entry| entry.1.len()).sum::<usize>();
        while log.len() > MAX_ENTRIES || files(&log) > MAX_FILES {
            log.pop_front();
        }
        PendingChange { log: self, from, committed: false }
    }

    /// The files that may differ between two generations, sorted by path; `None` if the log has a gap.
    pub(crate) fn changed_between(&self, before: u64, after: u64) -> Option<Vec<RepoPath>> {
        let log = self.lock();
        let mut all = Vec::new();
        for from in before..after {
            all.extend_from_slice(&log.iter().find(|entry| entry.0 == from)?.1);
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }

    /// Clears the log, because the index was replaced.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }
}

/// A change that is being written. Dropping it removes the log entry unless the change was committed.
pub(crate) struct PendingChange<'s> {
    log: &'s ChangeLog,
    from: u64,
    committed: bool,
}

impl PendingChange<'_> {
    /// Records the generation that the commit produced.
    pub(crate) fn commit(mut self, generation: u64) {
        self.committed = generation == self.from + 1;
    }
}

impl Drop for PendingChange<'_> {
    fn drop(&mut self) {
        if !self.committed {
            self.log.lock().retain(|entry| entry.0 != self.from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_committed_changes_without_a_gap_are_reported() {
        let log = ChangeLog::default();
        log.begin(3, vec!["b".into(), "a".into()]).commit(4);
        log.begin(4, vec!["a".into()]).commit(5);
        drop(log.begin(5, vec!["c".into()]));
        log.begin(6, vec!["d".into()]).commit(6);
        assert_eq!(log.changed_between(3, 5), Some(vec!["a".into(), "b".into()]));
        assert_eq!(log.changed_between(4, 4), Some(Vec::new()));
        for (before, after) in [(2, 4), (4, 6), (6, 7)] {
            assert_eq!(log.changed_between(before, after), None);
        }
        let entry = log.begin(5, vec!["c".into()]);
        assert_eq!(
            log.changed_between(5, 6),
            Some(vec!["c".into()]),
            "a reader of the next generation sees this entry"
        );
        drop(entry);
        log.clear();
        assert_eq!(log.changed_between(3, 5), None);
    }
}
