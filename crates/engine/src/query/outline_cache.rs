//! Cache of decoded outlines across queries: decoding one costs more than most queries.
//!
//! Eviction uses two generations: when `recent` is full it becomes `older`, and what was in `older` is dropped. An
//! outline that is used again moves back to `recent`.

use crate::change_log::ChangeLog;
use crate::{EngineError, FileOutline};
use orient_store::FileId;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of symbols in recent outlines, and again in older ones: a few megabytes.
const MAX_RECENT_SYMBOLS: usize = 16_384;

/// The cached outlines.
#[derive(Default)]
pub(crate) struct OutlineCache(Mutex<CachedOutlines>);

/// The outlines of one generation.
#[derive(Default)]
struct CachedOutlines {
    generation: u64,
    recent: FxHashMap<FileId, Arc<FileOutline>>,
    /// Outlines that were used before; dropped first.
    older: FxHashMap<FileId, Arc<FileOutline>>,
    /// Number of symbols in the recent ones.
    symbols: usize,
}

impl OutlineCache {
    fn lock(&self) -> MutexGuard<'_, CachedOutlines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clears the cache, because the index was replaced.
    pub(crate) fn clear(&self) {
        *self.lock() = CachedOutlines::default();
    }

    /// The outline of a file in a generation; calls `read` on a miss.
    pub(crate) fn get(
        &self,
        change_log: &ChangeLog,
        generation: u64,
        file: FileId,
        read: impl FnOnce() -> Result<Option<FileOutline>, EngineError>,
    ) -> Result<Option<Arc<FileOutline>>, EngineError> {
        let known = {
            let mut kept = self.lock();
            kept.follow(generation, change_log);
            if kept.generation == generation { kept.get(file) } else { None }
        };
        if let Some(known) = known {
            return Ok(Some(known));
        }
        let Some(fresh) = read()?.map(Arc::new) else { return Ok(None) };
        let mut kept = self.lock();
        if kept.generation == generation {
            kept.put(Arc::clone(&fresh));
        }
        Ok(Some(fresh))
    }
}

impl CachedOutlines {
    /// Advances to a later generation, without the files that changed.
    fn follow(&mut self, generation: u64, change_log: &ChangeLog) {
        if self.generation >= generation {
            return;
        }
        if let Some(paths) = change_log.changed_between(self.generation, generation) {
            let stays = |outline: &Arc<FileOutline>| paths.binary_search(&outline.file.path).is_err();
            self.recent.retain(|_, outline| stays(outline));
            self.older.retain(|_, outline| stays(outline));
        } else {
            *self = Self::default();
        }
        self.generation = generation;
    }

    fn get(&mut self, file: FileId) -> Option<Arc<FileOutline>> {
        if let Some(known) = self.recent.get(&file) {
            return Some(Arc::clone(known));
        }
        let known = self.older.remove(&file)?;
        self.put(Arc::clone(&known));
        Some(known)
    }

    fn put(&mut self, outline: Arc<FileOutline>) {
        let symbols = outline.ids.len().max(1);
        if symbols > MAX_RECENT_SYMBOLS {
            return;
        }
        self.symbols += symbols;
        if self.symbols > MAX_RECENT_SYMBOLS {
            self.symbols = symbols;
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(outline.file.id, outline);
    }
}
