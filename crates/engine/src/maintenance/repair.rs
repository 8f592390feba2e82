//! Damage: noticed wherever the index is read, mended in one place.
//!
//! The store keeps a list of the files this process found damaged. Whoever works on the index asks for it when done: if the
//! index is on it, the index is built again from the files, mostly from the cache, and the work is done once more. One
//! process builds, under the lock of writers; others wait, and find a file that is not on their list.

use crate::{Engine, EngineError};
use orient_store::StoreError;

impl Engine {
    /// What was found wrong with the index that is there now, if anything was.
    pub fn damage(&self) -> Option<String> {
        if self.memory.is_used() { None } else { orient_store::damage(&self.place.index()) }
    }

    /// Does something that begins with a look at the state of the index; again, where damage was found on the way.
    pub(crate) fn mending<T>(&self, act: impl Fn() -> Result<T, EngineError>) -> Result<T, EngineError> {
        let before = self.damage();
        let done = act();
        // Damage that was known before has been mended by then, or cannot be.
        let met =
            matches!(done, Err(EngineError::Store(StoreError::Damaged { .. }))) || self.damage().is_some();
        if met && before.is_none() { act() } else { done }
    }

    /// Forgets what is kept in memory of an index that is no longer there: generations of another one may have the same
    /// numbers.
    pub(crate) fn forget(&self) {
        self.steps.clear();
        self.carrying.clear();
        self.corpora.clear();
        self.outlines.clear();
    }

    /// Reads all of the cache; where that is damaged, it is emptied. Says what was wrong.
    pub fn check_cache(&self) -> Option<String> {
        orient_store::Cache::check(&self.place.cache())
    }
}
