//! What questions have looked at: files and their places, which later questions look at again. What no change concerned is
//! as true in the next generation.

use orient_store::{ChunkDetails, ChunkId, FileId, FileRow};
use rustc_hash::FxHashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// How many files and places are remembered before all are forgotten: a few megabytes.
const FILES: usize = 8192;
const PLACES: usize = 32_768;

/// A file that was looked at.
pub(super) struct SeenFile {
    row: FileRow,
    /// The ids of its chunks, in order.
    pub(super) ids: Vec<ChunkId>,
    /// Its chunks, as far as they were looked at.
    places: Box<[OnceLock<Arc<ChunkDetails>>]>,
}

impl SeenFile {
    pub(super) fn new(row: FileRow, ids: Vec<ChunkId>) -> Self {
        let places = ids.iter().map(|_| OnceLock::new()).collect();
        Self { row, ids, places }
    }

    fn seen(&self) -> usize {
        self.places.iter().filter(|place| place.get().is_some()).count()
    }
}

impl Deref for SeenFile {
    type Target = FileRow;

    fn deref(&self) -> &FileRow {
        &self.row
    }
}

/// Files of one generation, the newest of those that share them.
pub(crate) struct Looks(Mutex<Seen>);

struct Seen {
    generation: u64,
    files: FxHashMap<FileId, Arc<SeenFile>>,
    /// How many places of them were looked at.
    places: usize,
}

impl Seen {
    fn forget(&mut self) {
        self.files.clear();
        self.places = 0;
    }
}

impl Looks {
    /// Nothing yet, of a generation.
    pub(super) fn of(generation: u64) -> Self {
        Self(Mutex::new(Seen { generation, files: FxHashMap::default(), places: 0 }))
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes on from a generation to a later one, without the files that are not the same there. Who still asks about the
    /// one before finds nothing here.
    pub(super) fn follow<'f>(
        self: &Arc<Self>,
        from: u64,
        to: u64,
        changed: impl Iterator<Item = &'f FileId>,
    ) -> Arc<Self> {
        let mut seen = self.lock();
        if seen.generation != from {
            return Arc::new(Self::of(to));
        }
        for file in changed {
            let places = seen.files.remove(file).map_or(0, |file| file.seen());
            seen.places = seen.places.saturating_sub(places);
        }
        seen.generation = to;
        Arc::clone(self)
    }

    /// A file of a generation; read where nobody has looked at it. None where there is none.
    pub(super) fn file<E>(
        &self,
        generation: u64,
        id: FileId,
        read: impl FnOnce() -> Result<Option<SeenFile>, E>,
    ) -> Result<Option<Arc<SeenFile>>, E> {
        let known = Some(self.lock()).filter(|seen| seen.generation == generation);
        if let Some(known) = known.and_then(|seen| seen.files.get(&id).map(Arc::clone)) {
            return Ok(Some(known));
        }
        let Some(fresh) = read()?.map(Arc::new) else { return Ok(None) };
        let mut seen = self.lock();
        if seen.generation == generation {
            if seen.files.len() >= FILES {
                seen.forget();
            }
            // Of two who have read it, the first may have looked at places already.
            return Ok(Some(Arc::clone(seen.files.entry(id).or_insert(fresh))));
        }
        Ok(Some(fresh))
    }

    /// A place of a file, by its number there; likewise.
    pub(super) fn place<E>(
        &self,
        file: &SeenFile,
        at: usize,
        read: impl FnOnce(ChunkId) -> Result<Option<ChunkDetails>, E>,
    ) -> Result<Option<Arc<ChunkDetails>>, E> {
        let (Some(place), Some(id)) = (file.places.get(at), file.ids.get(at)) else { return Ok(None) };
        if let Some(known) = place.get() {
            return Ok(Some(Arc::clone(known)));
        }
        let Some(fresh) = read(*id)?.map(Arc::new) else { return Ok(None) };
        if place.set(Arc::clone(&fresh)).is_ok() {
            let mut seen = self.lock();
            seen.places += 1;
            if seen.places > PLACES {
                seen.forget();
            }
        }
        Ok(Some(fresh))
    }
}
