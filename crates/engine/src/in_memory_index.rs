//! The in-memory index: a fallback for a store that cannot be written. One reader leases it at a time and returns it
//! when dropped.

use orient_store::Snapshot;
use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long to wait between attempts to return to the store.
const RETRY_INTERVAL: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 30 });

/// The slot of the in-memory index. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct InMemoryIndex(Arc<SharedSlot>);

#[derive(Default)]
struct SharedSlot {
    slot: Mutex<IndexSlot>,
    returned: Condvar,
    why: Mutex<FallbackReason>,
}

/// Why the index is in memory, and when the store was last tried.
#[derive(Default)]
struct FallbackReason {
    reason: Option<String>,
    tried: Option<Instant>,
}

#[derive(Default)]
enum IndexSlot {
    /// The index is in its file.
    #[default]
    Unused,
    Here(Box<Snapshot>),
    Lent,
}

impl InMemoryIndex {
    fn lock(&self) -> MutexGuard<'_, IndexSlot> {
        self.0.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the index is in memory.
    pub(crate) fn is_used(&self) -> bool {
        !matches!(*self.lock(), IndexSlot::Unused)
    }

    /// Leases the index, waiting for another reader; `None` if the index is in its file.
    pub(crate) fn lease(&self) -> Option<SnapshotLease> {
        let mut slot = self.lock();
        loop {
            match std::mem::replace(&mut *slot, IndexSlot::Lent) {
                IndexSlot::Unused => {
                    *slot = IndexSlot::Unused;
                    return None;
                }
                IndexSlot::Here(snapshot) => {
                    return Some(SnapshotLease { snapshot: Some(*snapshot), owner: Some(self.clone()) });
                }
                IndexSlot::Lent => slot = self.0.returned.wait(slot).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Stores an index in the slot.
    pub(crate) fn put(&self, snapshot: Snapshot) {
        *self.lock() = IndexSlot::Here(Box::new(snapshot));
        self.0.returned.notify_one();
    }

    /// Records why the index is in memory.
    pub(crate) fn set_reason(&self, reason: Option<String>) {
        let mut why = self.0.why.lock().unwrap_or_else(PoisonError::into_inner);
        why.tried.get_or_insert_with(Instant::now);
        why.reason = reason;
    }

    /// Why the index is in memory.
    pub(crate) fn reason(&self) -> Option<String> {
        self.0.why.lock().unwrap_or_else(PoisonError::into_inner).reason.clone()
    }

    /// Whether the index is in memory and it is time to try the store again.
    pub(crate) fn is_retry_due(&self) -> bool {
        if !self.is_used() {
            return false;
        }
        let mut why = self.0.why.lock().unwrap_or_else(PoisonError::into_inner);
        let due = why.tried.is_some_and(|tried| tried.elapsed() >= RETRY_INTERVAL);
        if due {
            why.tried = Some(Instant::now());
        }
        due
    }

    /// Drops the in-memory index once no reader has it; the next reader opens the store.
    pub(crate) fn discard(&self) {
        drop(self.lease().map(SnapshotLease::into_inner));
        *self.0.why.lock().unwrap_or_else(PoisonError::into_inner) = FallbackReason::default();
    }

    fn empty(&self) {
        *self.lock() = IndexSlot::Unused;
        self.0.returned.notify_all();
    }
}

/// A snapshot from a file, or leased from memory.
pub(crate) struct SnapshotLease {
    snapshot: Option<Snapshot>,
    owner: Option<InMemoryIndex>,
}

impl SnapshotLease {
    /// A snapshot of a file, which no other reader waits for.
    pub(crate) fn from_file(snapshot: Snapshot) -> Self {
        Self { snapshot: Some(snapshot), owner: None }
    }

    /// Takes the snapshot out of the lease. The slot stays empty until another index is stored.
    pub(crate) fn into_inner(mut self) -> Snapshot {
        if let Some(owner) = self.owner.take() {
            owner.empty();
        }
        self.snapshot.take().expect("only taken here and when dropped")
    }
}

impl Deref for SnapshotLease {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        self.snapshot.as_ref().expect("only taken when consumed or dropped")
    }
}

impl Drop for SnapshotLease {
    fn drop(&mut self) {
        if let (Some(owner), Some(snapshot)) = (self.owner.take(), self.snapshot.take()) {
            owner.put(snapshot);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use crate::{Engine, NoProgress, OpenOptions, RefreshOptions, RefreshReport};
    use orient_settings::Settings;
    use std::fs;

    #[test]
    fn the_index_returns_to_the_store_once_it_is_writable() {
        let directory = tempfile::tempdir().expect("a directory");
        let (tree, store) = (directory.path().join("tree"), directory.path().join("store"));
        fs::create_dir(&tree).expect("made");
        fs::write(tree.join("a.py"), "def a(): pass\n").expect("written");
        let options = OpenOptions { store: Some(store), ..OpenOptions::default() };
        let engine = Engine::open(&tree, Settings::default(), &options).expect("it can be opened");
        let refresh = || -> RefreshReport {
            engine
                .refresh(&RefreshOptions::default(), &NoProgress)
                .expect("it is answered from memory at least")
        };
        fs::create_dir_all(engine.store_paths().tree.parent().expect("it has one")).expect("made");
        std::os::unix::fs::symlink(directory.path(), &engine.store_paths().tree).expect("a link");
        for _ in 0..2 {
            let done = refresh();
            assert!(done.in_memory && done.unusable.is_some_and(|why| why.contains("symbolic link")));
        }
        fs::remove_file(&engine.store_paths().tree).expect("removed");
        fs::write(tree.join("b.py"), "def b(): pass\n").expect("written");
        let done = refresh();
        assert!(!done.in_memory && engine.store_paths().index().exists());
        assert_eq!(engine.snapshot().expect("it is there").status().expect("readable").sizes.files, 2);
    }
}
