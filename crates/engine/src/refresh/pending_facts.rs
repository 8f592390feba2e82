//! What was read for files that have yet to be resolved: whoever does that next need not read it again.

use crate::refresh::graph::resolver_input::FactsSource;
use orient_store::SymbolTable;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Facts and names as they are in a generation.
pub(crate) struct Carried {
    pub(crate) generation: u64,
    pub(crate) facts: FactsSource,
    pub(crate) directory: Option<SymbolTable>,
}

/// Where an engine keeps them.
#[derive(Default)]
pub(crate) struct Carrying(Mutex<Option<Carried>>);

impl Carrying {
    fn lock(&self) -> MutexGuard<'_, Option<Carried>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn put(&self, carried: Carried) {
        *self.lock() = Some(carried);
    }

    /// What there is of a generation; what is of another is of no use any more.
    pub(crate) fn take(&self, generation: u64) -> Option<Carried> {
        self.lock().take().filter(|carried| carried.generation == generation)
    }

    /// Forgets it: the index is another one.
    pub(crate) fn clear(&self) {
        *self.lock() = None;
    }
}
