//! An index in memory, for a store that cannot be written. It is lent out, and comes back when the borrower is done.

use orient_store::Snapshot;
use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long after an attempt to write the store the next one is made.
const TRY_AGAIN: Duration = Duration::from_secs(30);

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
