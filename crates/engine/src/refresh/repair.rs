//! Repair of damaged indexes: detection anywhere, rebuilding in one place.
//!
//! The store records which database files this process found damaged. Every operation checks the record when it ends:
//! if the index is on it, the index is rebuilt from the files, mostly through the cache, and the operation runs
//! again. One process rebuilds under the write lock; the others wait and then open a file that is not on their
//! record.

use crate::{Engine, EngineError};
use orient_store::StoreError;

impl Engine {
    /// The damage found in the current index, if any.
    pub fn damage(&self) -> Option<String> {
        if self.in_memory_index.is_used() { None } else { orient_store::damage(&self.paths.index()) }
    }

    /// Runs an operation that begins by inspecting the index, and runs it again if it found damage.
    pub(crate) fn with_repair<T>(&self, act: impl Fn() -> Result<T, EngineError>) -> Result<T, EngineError> {
        let before = self.damage();
        let done = act();
        // Damage that was known before the operation has been repaired by it, or cannot be.
        let met =
            matches!(done, Err(EngineError::Store(StoreError::Damaged { .. }))) || self.damage().is_some();
        if met && before.is_none() { act() } else { done }
    }

    /// Checks the whole cache, and empties it if it is damaged. Returns the damage found.
    pub fn check_cache(&self) -> Option<String> {
        orient_store::Cache::check(&self.paths.cache())
    }
}
