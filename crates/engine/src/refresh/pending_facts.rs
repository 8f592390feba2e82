//! Pending facts: facts read for files that are committed but not yet resolved. The next resolution reuses them.

use crate::refresh::graph::FactsSource;
use orient_store::InMemorySymbolTable;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The facts and names of a generation.
pub(crate) struct PendingFacts {
    pub(crate) generation: u64,
    pub(crate) facts: FactsSource,
    pub(crate) symbols: Option<InMemorySymbolTable>,
}

/// The slot of an engine's pending facts.
#[derive(Default)]
pub(crate) struct PendingFactsSlot(Mutex<Option<PendingFacts>>);

impl PendingFactsSlot {
    fn lock(&self) -> MutexGuard<'_, Option<PendingFacts>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn put(&self, carried: PendingFacts) {
        *self.lock() = Some(carried);
    }

    /// Takes the facts of a generation; those of another generation are dropped.
    pub(crate) fn take(&self, generation: u64) -> Option<PendingFacts> {
        self.lock().take().filter(|carried| carried.generation == generation)
    }

    /// Drops the facts, because the index was replaced.
    pub(crate) fn clear(&self) {
        *self.lock() = None;
    }
}
