//! Cache of the file and chunk rows that queries have read. Entries of unchanged files stay valid in later
//! generations.

use orient_store::{ChunkDetails, ChunkId, FileId, FileRow};
use rustc_hash::FxHashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Maximum number of cached files and chunks; beyond it the cache is cleared. A few megabytes.
const MAX_FILES: usize = 8192;
const MAX_CHUNKS: usize = 32_768;

/// A cached file.
pub(super) struct CachedFile {
    row: FileRow,
    /// The ids of its chunks, in order.
    pub(super) ids: Vec<ChunkId>,
    /// The chunks that were read.
    chunks: Box<[OnceLock<Arc<ChunkDetails>>]>,
}

impl CachedFile {
    pub(super) fn new(row: FileRow, ids: Vec<ChunkId>) -> Self {
        let chunks = ids.iter().map(|_| OnceLock::new()).collect();
        Self { row, ids, chunks }
    }

    fn cached_chunks(&self) -> usize {
        self.chunks.iter().filter(|chunk| chunk.get().is_some()).count()
    }
}

impl Deref for CachedFile {
    type Target = FileRow;

    fn deref(&self) -> &FileRow {
        &self.row
    }
}

/// The cached files of one generation: the newest of the corpora that share the cache.
pub(crate) struct ChunkCache(Mutex<CachedFiles>);

struct CachedFiles {
    generation: u64,
    files: FxHashMap<FileId, Arc<CachedFile>>,
    /// Number of cached chunks.
    chunks: usize,
}

impl CachedFiles {
    fn clear(&mut self) {
        self.files.clear();
        self.chunks = 0;
    }
}

impl ChunkCache {
    /// An empty cache of a generation.
    pub(super) fn of(generation: u64) -> Self {
        Self(Mutex::new(CachedFiles { generation, files: FxHashMap::default(), chunks: 0 }))
    }

    fn lock(&self) -> MutexGuard<'_, CachedFiles> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Advances from one generation to a later one, without the changed files. Readers of the earlier generation then
    /// miss.
    pub(super) fn follow<'f>(
        self: &Arc<Self>,
        from: u64,
        to: u64,
        changed: impl Iterator<Item = &'f FileId>,
    ) -> Arc<Self> {
        let mut cached = self.lock();
        if cached.generation != from {
            return Arc::new(Self::of(to));
        }
        for file in changed {
            let chunks = cached.files.remove(file).map_or(0, |file| file.cached_chunks());
            cached.chunks = cached.chunks.saturating_sub(chunks);
        }
        cached.generation = to;
        Arc::clone(self)
    }

    /// A file of a generation, read on a miss; `None` if it does not exist.
    pub(super) fn file<E>(
        &self,
        generation: u64,
        id: FileId,
        read: impl FnOnce() -> Result<Option<CachedFile>, E>,
    ) -> Result<Option<Arc<CachedFile>>, E> {
        let known = Some(self.lock()).filter(|cached| cached.generation == generation);
        if let Some(known) = known.and_then(|cached| cached.files.get(&id).map(Arc::clone)) {
            return Ok(Some(known));
        }
        let Some(fresh) = read()?.map(Arc::new) else { return Ok(None) };
        let mut cached = self.lock();
        if cached.generation == generation {
            if cached.files.len() >= MAX_FILES {
                cached.clear();
            }
            // If two threads read the file, keep the first entry: it may already have chunks.
            return Ok(Some(Arc::clone(cached.files.entry(id).or_insert(fresh))));
        }
        Ok(Some(fresh))
    }

    /// A chunk of a file by position, read on a miss.
    pub(super) fn chunk<E>(
        &self,
        file: &CachedFile,
        at: usize,
        read: impl FnOnce(ChunkId) -> Result<Option<ChunkDetails>, E>,
    ) -> Result<Option<Arc<ChunkDetails>>, E> {
        let (Some(chunk), Some(id)) = (file.chunks.get(at), file.ids.get(at)) else { return Ok(None) };
        if let Some(known) = chunk.get() {
            return Ok(Some(Arc::clone(known)));
        }
        let Some(fresh) = read(*id)?.map(Arc::new) else { return Ok(None) };
        if chunk.set(Arc::clone(&fresh)).is_ok() {
            let mut cached = self.lock();
            cached.chunks += 1;
            if cached.chunks > MAX_CHUNKS {
                cached.clear();
            }
        }
        Ok(Some(fresh))
    }
}
