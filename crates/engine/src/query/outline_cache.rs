//! Outlines that questions looked at, kept for those to come: to read one takes longer than most else that is asked.

use crate::change_log::Steps;
use crate::{EngineError, FileOutline};
use orient_store::FileId;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many symbols the outlines may have that were used lately, and as many more before: a few megabytes.
const SYMBOLS: usize = 16_384;

/// The outlines; shared by an engine and its snapshots.
#[derive(Clone, Default)]
pub(crate) struct Outlines {
    kept: Arc<Mutex<Kept>>,
    steps: Steps,
}

/// What is true of one generation.
#[derive(Default)]
struct Kept {
    generation: u64,
    recent: FxHashMap<FileId, Arc<FileOutline>>,
    /// Those that were used before; of them, what nobody uses again goes first.
    older: FxHashMap<FileId, Arc<FileOutline>>,
    /// How many symbols the recent ones have.
    symbols: usize,
}

impl Outlines {
    pub(crate) fn new(steps: &Steps) -> Self {
        Self { kept: Arc::default(), steps: steps.clone() }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets everything: the index is another one.
    pub(crate) fn clear(&self) {
        *self.lock() = Kept::default();
    }

    /// The outline of a file in a generation; read where it is not kept.
    pub(crate) fn of(
        &self,
        generation: u64,
        file: FileId,
        read: impl FnOnce() -> Result<Option<FileOutline>, EngineError>,
    ) -> Result<Option<Arc<FileOutline>>, EngineError> {
        let known = {
            let mut kept = self.lock();
            kept.follow(generation, &self.steps);
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

impl Kept {
    /// Goes on to a later generation, without the files that changed on the way.
    fn follow(&mut self, generation: u64, steps: &Steps) {
        if self.generation >= generation {
            return;
        }
        if let Some(paths) = steps.between(self.generation, generation) {
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
        if symbols > SYMBOLS {
            return;
        }
        self.symbols += symbols;
        if self.symbols > SYMBOLS {
            self.symbols = symbols;
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(outline.file.id, outline);
    }
}
