//! Cache of all symbol names for spell correction.

use crate::EngineError;
use crate::change_log::ChangeLog;
use orient_store::{NameTable, Snapshot};
use std::sync::{Arc, Mutex, PoisonError};

/// The names of the newest queried generation.
#[derive(Default)]
pub(crate) struct NameCache(Mutex<CachedNames>);

/// The generation and its names.
type CachedNames = Option<(u64, Arc<NameTable>)>;

impl NameCache {
    /// Clears the cache, because the index was replaced.
    pub(crate) fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The names of a snapshot; `None` if the cache holds a later generation.
    pub(crate) fn get(
        &self,
        snapshot: &Snapshot,
        change_log: &ChangeLog,
    ) -> Result<Option<Arc<NameTable>>, EngineError> {
        let generation = snapshot.generation();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut names = match kept.take() {
            Some((known, names)) if known >= generation => {
                let same = (known == generation).then(|| Arc::clone(&names));
                *kept = Some((known, names));
                return Ok(same);
            }
            Some((known, names)) if change_log.changed_between(known, generation).is_some() => names,
            _ => Arc::default(),
        };
        snapshot.follow_names(Arc::make_mut(&mut names))?;
        *kept = Some((generation, Arc::clone(&names)));
        Ok(Some(names))
    }
}
