//! What questions have looked at: files and places of one generation, which later questions look at again.

use orient_store::{ChunkId, FileId, FileRow, PlaceRow};
use rustc_hash::FxHashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

/// How many files and places are remembered before all are forgotten: a few megabytes.
const FILES: usize = 8192;
const PLACES: usize = 32_768;

/// A file that was looked at.
pub(super) struct SeenFile {
    pub(super) row: FileRow,
    /// The ids of its chunks, in order.
    pub(super) ids: Vec<ChunkId>,
}

impl Deref for SeenFile {
    type Target = FileRow;

    fn deref(&self) -> &FileRow {
        &self.row
    }
}

/// Files by id and places by unit.
#[derive(Default)]
pub(crate) struct Looks {
    files: Mutex<FxHashMap<FileId, Arc<SeenFile>>>,
    places: Mutex<FxHashMap<u32, Arc<PlaceRow>>>,
}

impl Looks {
    /// A file; read where nobody has looked at it. None where there is none.
    pub(super) fn file<E>(
        &self,
        id: FileId,
        read: impl FnOnce() -> Result<Option<SeenFile>, E>,
    ) -> Result<Option<Arc<SeenFile>>, E> {
        look(&self.files, FILES, id, read)
    }

    /// The place of a unit, likewise.
    pub(super) fn place<E>(
        &self,
        unit: u32,
        read: impl FnOnce() -> Result<Option<PlaceRow>, E>,
    ) -> Result<Option<Arc<PlaceRow>>, E> {
        look(&self.places, PLACES, unit, read)
    }
}

fn look<K: std::hash::Hash + Eq, V, E>(
    seen: &Mutex<FxHashMap<K, Arc<V>>>,
    most: usize,
    key: K,
    read: impl FnOnce() -> Result<Option<V>, E>,
) -> Result<Option<Arc<V>>, E> {
    let lock = || seen.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(&key) {
        return Ok(Some(Arc::clone(known)));
    }
    let Some(fresh) = read()?.map(Arc::new) else { return Ok(None) };
    let mut seen = lock();
    if seen.len() >= most {
        seen.clear();
    }
    seen.insert(key, Arc::clone(&fresh));
    Ok(Some(fresh))
}
