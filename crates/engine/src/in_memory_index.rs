//! An index in memory, for a store that cannot be written. It is lent out, and comes back when the borrower is done.

use orient_store::Snapshot;
use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long after an attempt to write the store the next one is made.
const TRY_AGAIN: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 30 });

/// The place of the index in memory. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Memory(Arc<Shared>);

#[derive(Default)]
struct Shared {
    slot: Mutex<Slot>,
    returned: Condvar,
    why: Mutex<Why>,
}

/// Why the index is in memory, and since when.
#[derive(Default)]
struct Why {
    reason: Option<String>,
    tried: Option<Instant>,
}

#[derive(Default)]
enum Slot {
    /// The index is in its file.
    #[default]
    Unused,
    Here(Box<Snapshot>),
    Lent,
}

impl Memory {
    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.0.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the index is in memory.
    pub(crate) fn is_used(&self) -> bool {
        !matches!(*self.lock(), Slot::Unused)
    }

    /// Borrows the index, waiting for another borrower; none where it is in its file.
    pub(crate) fn borrow(&self) -> Option<Loan> {
        let mut slot = self.lock();
        loop {
            match std::mem::replace(&mut *slot, Slot::Lent) {
                Slot::Unused => {
                    *slot = Slot::Unused;
                    return None;
                }
                Slot::Here(snapshot) => {
                    return Some(Loan { snapshot: Some(*snapshot), owner: Some(self.clone()) });
                }
                Slot::Lent => slot = self.0.returned.wait(slot).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Keeps an index.
    pub(crate) fn keep(&self, snapshot: Snapshot) {
        *self.lock() = Slot::Here(Box::new(snapshot));
        self.0.returned.notify_one();
    }

    /// Notes why the index is held in memory.
    pub(crate) fn because(&self, reason: Option<String>) {
        let mut why = self.0.why.lock().unwrap_or_else(PoisonError::into_inner);
        why.tried.get_or_insert_with(Instant::now);
        why.reason = reason;
    }

    /// Why the index is held in memory.
    pub(crate) fn reason(&self) -> Option<String> {
        self.0.why.lock().unwrap_or_else(PoisonError::into_inner).reason.clone()
    }

    /// Whether the index is in memory, and it is time to try the store again.
    pub(crate) fn is_due(&self) -> bool {
        if !self.is_used() {
            return false;
        }
        let mut why = self.0.why.lock().unwrap_or_else(PoisonError::into_inner);
        let due = why.tried.is_some_and(|tried| tried.elapsed() >= TRY_AGAIN);
        if due {
            why.tried = Some(Instant::now());
        }
        due
    }

    /// Gives the index in memory up, once nobody has borrowed it; whoever asks next finds the one in the store.
    pub(crate) fn leave(&self) {
        drop(self.borrow().map(Loan::into_inner));
        *self.0.why.lock().unwrap_or_else(PoisonError::into_inner) = Why::default();
    }

    fn lost(&self) {
        *self.lock() = Slot::Unused;
        self.0.returned.notify_all();
    }
}

/// A snapshot, from a file or lent from memory.
pub(crate) struct Loan {
    snapshot: Option<Snapshot>,
    owner: Option<Memory>,
}

impl Loan {
    /// A snapshot of a file, which nobody waits for.
    pub(crate) fn of_file(snapshot: Snapshot) -> Self {
        Self { snapshot: Some(snapshot), owner: None }
    }

    /// Takes the snapshot for good; the place of one in memory is empty until another is kept.
    pub(crate) fn into_inner(mut self) -> Snapshot {
        if let Some(owner) = self.owner.take() {
            owner.lost();
        }
        self.snapshot.take().expect("only taken here and when dropped")
    }
}

impl Deref for Loan {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        self.snapshot.as_ref().expect("only taken when consumed or dropped")
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        if let (Some(owner), Some(snapshot)) = (self.owner.take(), self.snapshot.take()) {
            owner.keep(snapshot);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use crate::{Engine, OpenOptions, Refresh, RefreshOptions, Silent};
    use orient_settings::Settings;
    use std::fs;

    #[test]
    fn an_index_goes_back_to_its_store_once_that_can_be_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let (tree, store) = (folder.path().join("tree"), folder.path().join("store"));
        fs::create_dir(&tree).expect("made");
        fs::write(tree.join("a.py"), "def a(): pass\n").expect("written");
        let options = OpenOptions { store: Some(store), ..OpenOptions::default() };
        let engine = Engine::open(&tree, Settings::default(), &options).expect("it can be opened");
        let refresh = || -> Refresh {
            engine.refresh(&RefreshOptions::default(), &Silent).expect("it is answered from memory at least")
        };
        fs::create_dir_all(engine.place().tree.parent().expect("it has one")).expect("made");
        std::os::unix::fs::symlink(folder.path(), &engine.place().tree).expect("a link");
        for _ in 0..2 {
            let done = refresh();
            assert!(done.in_memory && done.unusable.is_some_and(|why| why.contains("symbolic link")));
        }
        fs::remove_file(&engine.place().tree).expect("removed");
        fs::write(tree.join("b.py"), "def b(): pass\n").expect("written");
        let done = refresh();
        assert!(!done.in_memory && engine.place().index().exists());
        assert_eq!(engine.snapshot().expect("it is there").status().expect("readable").sizes.files, 2);
    }
}
