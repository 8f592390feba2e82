//! The corpus: all chunks of a generation, numbered, with their files and vectors.
//!
//! A process that searches once compares the query with the vectors while reading them. One that searches again keeps
//! them in a packed index, and after a change reads only the vectors of the changed files.

use super::chunk_cache::ChunkCache;
use crate::{EngineError, chunk_features};
use orient_embed::{BuiltIn, Embedder, PackedGroup, PackedIndex, Scan, Vector, cosine};
use orient_model::RepoPath;
use orient_rank::ScratchBuffers;
use orient_store::{Catalogue, CatalogueUpdate, FileId, Snapshot};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

/// All chunks of a generation. Chunks and files are referred to by their catalogue numbers.
pub(crate) struct Corpus {
    pub(super) generation: u64,
    pub(crate) catalogue: Catalogue,
    /// All vectors, grouped by file.
    vectors: OnceLock<PackedIndex>,
    /// Held while all vectors are read, so that only one thread reads them.
    reading: Mutex<()>,
    queries: AtomicU32,
    /// Number of threads that search the vectors now.
    searching: AtomicU32,
    /// Number of chunks with vectors, once all vectors were read.
    covered: OnceLock<usize>,
    /// Rows that earlier queries read; shared with later corpora.
    pub(super) chunk_cache: Arc<ChunkCache>,
    /// Idle scoring buffers; shared with later corpora.
    idle_buffers: Arc<Mutex<Vec<ScratchBuffers>>>,
}

/// Maximum number of idle scoring buffers.
const MAX_IDLE_BUFFERS: usize = 2;

/// Minimum number of vectors for which a search thread is worth starting.
const MIN_VECTORS_FOR_THREAD: usize = 16_384;

/// Counts a thread that searches the vectors. If others search too, the processors are busy and no extra thread
/// starts.
struct ActiveSearch<'c> {
    all: &'c AtomicU32,
    others: u32,
}

impl<'c> ActiveSearch<'c> {
    fn begin(all: &'c AtomicU32) -> Self {
        Self { all, others: all.fetch_add(1, Ordering::Relaxed) }
    }
}

impl Drop for ActiveSearch<'_> {
    fn drop(&mut self) {
        self.all.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Which chunks a vector search returns.
pub(crate) struct VectorQuery<'w> {
    pub(crate) count: usize,
    /// Whether a filter excludes some chunks.
    pub(crate) filtered: bool,
    pub(crate) allows: &'w dyn Fn(u32) -> bool,
}

/// The chunks nearest to a query.
pub(crate) struct Nearest<'c, T> {
    /// Nearest first, with their dot products.
    pub(crate) best: Vec<(u32, i32)>,
    pub(crate) similarity: ChunkSimilarity<'c>,
    /// The result of the concurrent work.
    pub(crate) meanwhile: T,
}

/// The similarity of chunks to a query.
pub(crate) enum ChunkSimilarity<'c> {
    /// The dot products of all chunks.
    All(Vec<i32>),
    /// Dot products are computed on demand.
    Some(&'c Corpus, Scan),
    /// Similarities by a remote model, on the scale of the built-in one.
    Scaled(Vec<f32>),
}

impl Corpus {
    /// Reads the corpus of a snapshot.
    pub(super) fn read(snapshot: &Snapshot) -> Result<Self, EngineError> {
        let generation = snapshot.generation();
        Ok(Self {
            generation,
            catalogue: snapshot.catalogue()?,
            vectors: OnceLock::new(),
            reading: Mutex::default(),
            queries: AtomicU32::new(0),
            searching: AtomicU32::new(0),
            covered: OnceLock::new(),
            chunk_cache: Arc::new(ChunkCache::of(generation)),
            idle_buffers: Arc::default(),
        })
    }

    /// Derives the corpus of a snapshot from an earlier one. Only the files at `paths` (sorted) may differ.
    pub(super) fn after(before: &Self, paths: &[RepoPath], snapshot: &Snapshot) -> Result<Self, EngineError> {
        let generation = snapshot.generation();
        let CatalogueUpdate { catalogue, changed, gone } =
            snapshot.catalogue_after(&before.catalogue, paths)?;
        let corpus = Self {
            generation,
            catalogue,
            vectors: OnceLock::new(),
            reading: Mutex::default(),
            queries: AtomicU32::new(before.queries.load(Ordering::Relaxed)),
            searching: AtomicU32::new(0),
            covered: OnceLock::new(),
            chunk_cache: before.chunk_cache.follow(
                before.generation,
                generation,
                changed.iter().chain(&gone),
            ),
            idle_buffers: before.idle_buffers.clone(),
        };
        if let Some(vectors) = before.vectors.get() {
            let mut others = BTreeMap::new();
            for file in changed {
                let own =
                    snapshot.vectors_of(file)?.filter(|bytes| corpus.parse_vectors(file, bytes).is_some());
                others.insert(file.0, own.unwrap_or_default());
            }
            others.extend(gone.into_iter().map(|file| (file.0, Vec::new())));
            corpus.keep(vectors.with_groups(&others));
        }
        Ok(corpus)
    }

    /// Number of chunks without a vector, as far as known; all chunks if the stored vectors are outdated (`all`).
    pub(crate) fn without_vector(&self, all: bool) -> u64 {
        let chunks = self.catalogue.len();
        let covered = if all { 0 } else { self.covered.get().copied().unwrap_or(chunks) };
        (chunks - covered.min(chunks)) as u64
    }

    /// Takes a scoring buffer.
    pub(crate) fn scratch_buffers(&self) -> ScratchBuffers {
        self.idle_buffers.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Returns a scoring buffer.
    pub(crate) fn return_buffers(&self, buffers: ScratchBuffers) {
        let mut idle_buffers = self.idle_buffers.lock().unwrap_or_else(PoisonError::into_inner);
        if idle_buffers.len() < MAX_IDLE_BUFFERS {
            idle_buffers.push(buffers);
        }
    }

    /// The first chunk of a file and its number of chunks.
    pub(crate) fn chunks_of(&self, file: FileId) -> Option<(u32, u32)> {
        let file = self.catalogue.file(self.catalogue.find(file)?);
        Some((file.first, file.count))
    }

    /// The chunks nearest to a vector, nearest first, with their dot products. Runs `meanwhile` concurrently if that
    /// pays.
    pub(crate) fn nearest<T>(
        &self,
        snapshot: &Snapshot,
        query: &Vector,
        wanted: &VectorQuery<'_>,
        meanwhile: impl FnOnce() -> Result<T, EngineError>,
    ) -> Result<Nearest<'_, T>, EngineError> {
        let first_time = self.queries.fetch_add(1, Ordering::Relaxed) == 0 && self.vectors.get().is_none();
        if first_time || wanted.filtered {
            let products = self.products(snapshot, query)?;
            let allowed = |(chunk, product): &(u32, i32)| *product > 0 && (wanted.allows)(*chunk);
            let mut best: Vec<(u32, i32)> = (0..).zip(products.iter().copied()).filter(allowed).collect();
            let order = |one: &(u32, i32)| (std::cmp::Reverse(one.1), one.0);
            if best.len() > wanted.count {
                best.select_nth_unstable_by_key(wanted.count, order);
                best.truncate(wanted.count);
            }
            best.sort_unstable_by_key(order);
            return Ok(Nearest { best, similarity: ChunkSimilarity::All(products), meanwhile: meanwhile()? });
        }
        let vectors = self.vectors(snapshot)?;
        let searching = ActiveSearch::begin(&self.searching);
        let (hits, done) = if vectors.len() < MIN_VECTORS_FOR_THREAD || searching.others > 0 {
            (vectors.search(query, wanted.count), meanwhile()?)
        } else {
            let count = wanted.count;
            thread::scope(|scope| {
                let search = scope.spawn(move || vectors.search(query, count));
                let done = meanwhile()?;
                // The search does not panic; if it did, the other channels would still answer.
                Ok::<_, EngineError>((search.join().unwrap_or_default(), done))
            })?
        };
        let mut best = Vec::with_capacity(wanted.count);
        for hit in hits.into_iter().filter(|hit| hit.score > 0) {
            let (file, members) = vectors.members_of(hit.row);
            let Some((first, _)) = self.chunks_of(FileId(file)) else { continue };
            best.extend(members.map(|at| (first + at, hit.score)));
        }
        best.truncate(wanted.count);
        Ok(Nearest { best, similarity: ChunkSimilarity::Some(self, Scan::new(query)), meanwhile: done })
    }

    /// The dot products of all chunks with a query.
    fn products(&self, snapshot: &Snapshot, query: &Vector) -> Result<Vec<i32>, EngineError> {
        let scan = Scan::new(query);
        let mut all = vec![0; self.catalogue.bound()];
        let (mut some, mut covered) = (Vec::new(), 0);
        let mut see = |file: FileId, group: PackedGroup<'_>| {
            let Some((first, _)) = self.chunks_of(file) else { return };
            some.clear();
            scan.products(group.vectors, &mut some);
            let mut chunks = all[first as usize..].iter_mut();
            for (&product, &count) in some.iter().zip(group.counts) {
                chunks.by_ref().take(usize::from(count)).for_each(|chunk| *chunk = product);
            }
            covered += group.members();
        };
        match self.vectors.get() {
            Some(vectors) => vectors.groups().for_each(|(file, group)| see(FileId(file), group)),
            None => snapshot.each_vectors(|file, bytes| {
                if let Some(group) = self.parse_vectors(file, bytes) {
                    see(file, group);
                }
            })?,
        }
        self.covered.get_or_init(|| covered);
        Ok(all)
    }

    /// The cosine similarity of all chunks to a query.
    pub(crate) fn similarity(&self, snapshot: &Snapshot, query: &Vector) -> Result<Vec<f32>, EngineError> {
        let dimension = BuiltIn::shared().dimension();
        Ok(self.products(snapshot, query)?.into_iter().map(|product| cosine(product, dimension)).collect())
    }

    /// Parses the vectors of a file; `None` if they do not match its chunks.
    fn parse_vectors<'b>(&self, file: FileId, bytes: &'b [u8]) -> Option<PackedGroup<'b>> {
        let (_, count) = self.chunks_of(file)?;
        chunk_features::read_vectors(bytes).filter(|group| group.members() == count as usize)
    }

    fn vectors(&self, snapshot: &Snapshot) -> Result<&PackedIndex, EngineError> {
        if let Some(vectors) = self.vectors.get() {
            return Ok(vectors);
        }
        let _alone = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(vectors) = self.vectors.get() {
            return Ok(vectors);
        }
        let mut index = PackedIndex::new(BuiltIn::shared().dimension());
        snapshot.each_vectors(|file, bytes| {
            if let Some(group) = self.parse_vectors(file, bytes) {
                index.push(file.0, group);
            }
        })?;
        Ok(self.keep(index))
    }

    /// Keeps an index whose groups match the files of the corpus.
    fn keep(&self, index: PackedIndex) -> &PackedIndex {
        self.covered.get_or_init(|| index.members());
        self.vectors.get_or_init(|| index)
    }

    /// The dot product of a chunk with a query; 0 if it has no vector.
    fn product(&self, chunk: u32, query: &Scan) -> i32 {
        let file = self.catalogue.file(self.catalogue.file_of(chunk));
        let of = |vectors: &PackedIndex| vectors.product(file.file.0, chunk - file.first, query);
        self.vectors.get().and_then(of).unwrap_or(0)
    }
}

impl ChunkSimilarity<'_> {
    /// The similarity of a chunk to the query.
    pub(crate) fn of(&self, chunk: u32) -> f32 {
        let product = match self {
            Self::All(products) => products[chunk as usize],
            Self::Some(corpus, query) => corpus.product(chunk, query),
            Self::Scaled(near) => return near[chunk as usize],
        };
        cosine(product, BuiltIn::shared().dimension())
    }
}
