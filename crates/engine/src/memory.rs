//! An index in memory, for a store that cannot be written. It is lent out, and comes back when the borrower is done.

use orient_store::Snapshot;
use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The place of the index in memory. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Memory(Arc<Shared>);

#[derive(Default)]
struct Shared {
    slot: Mutex<Slot>,
    returned: Condvar,
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
