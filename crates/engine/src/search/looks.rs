//! What questions have looked at: files and their places, which later questions look at again. What no change concerned is
//! as true in the next generation.

use orient_model::RepoPath;
use orient_store::{ChunkId, FileId, FileRow, PlaceRow};
use rustc_hash::FxHashMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
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
    places: Box<[OnceLock<Arc<PlaceRow>>]>,
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

/// Files by id.
#[derive(Default)]
pub(crate) struct Looks {
    files: Mutex<FxHashMap<FileId, Arc<SeenFile>>>,
    /// How many places of them were looked at.
    places: AtomicUsize,
}

impl Looks {
    fn lock(&self) -> MutexGuard<'_, FxHashMap<FileId, Arc<SeenFile>>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was looked at, but for the files at these paths, which are sorted.
    pub(super) fn without(&self, paths: &[RepoPath]) -> Self {
        let mut files = self.lock().clone();
        let mut places = self.places.load(Ordering::Relaxed);
        files.retain(|_, file| {
            let stays = paths.binary_search(&file.path).is_err();
            places = if stays { places } else { places.saturating_sub(file.seen()) };
            stays
        });
        Self { files: Mutex::new(files), places: AtomicUsize::new(places) }
    }

    /// A file; read where nobody has looked at it. None where there is none.
    pub(super) fn file<E>(
        &self,
        id: FileId,
        read: impl FnOnce() -> Result<Option<SeenFile>, E>,
    ) -> Result<Option<Arc<SeenFile>>, E> {
        if let Some(known) = self.lock().get(&id) {
            return Ok(Some(Arc::clone(known)));
        }
        let Some(fresh) = read()?.map(Arc::new) else { return Ok(None) };
        let mut files = self.lock();
        if files.len() >= FILES {
            self.places.store(0, Ordering::Relaxed);
            files.clear();
        }
        files.insert(id, Arc::clone(&fresh));
        Ok(Some(fresh))
    }

    /// A place of a file, by its number there; likewise.
    pub(super) fn place<E>(
        &self,
        file: &SeenFile,
        at: usize,
        read: impl FnOnce(ChunkId) -> Result<Option<PlaceRow>, E>,
    ) -> Result<Option<Arc<PlaceRow>>, E> {
        let (Some(place), Some(id)) = (file.places.get(at), file.ids.get(at)) else { return Ok(None) };
        if let Some(known) = place.get() {
            return Ok(Some(Arc::clone(known)));
        }
        let Some(fresh) = read(*id)?.map(Arc::new) else { return Ok(None) };
        if place.set(Arc::clone(&fresh)).is_ok() && self.places.fetch_add(1, Ordering::Relaxed) >= PLACES {
            self.places.store(0, Ordering::Relaxed);
            self.lock().clear();
        }
        Ok(Some(fresh))
    }
}
