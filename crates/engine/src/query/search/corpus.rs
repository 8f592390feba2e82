//! What search reads of a generation as a whole: all chunks with their files, and their vectors.
//!
//! A process that asks once compares the question with the stored vectors as they are read; one that asks again keeps them
//! with the bits of a first pass, and after a change reads those of the changed files alone.

use super::chunk_cache::Looks;
use crate::{EngineError, chunk_features};
use orient_embed::{BuiltIn, Embedder, PackedGroup, PackedIndex, Scan, Vector, cosine};
use orient_model::RepoPath;
use orient_rank::Room;
use orient_store::{Catalogue, CatalogueUpdate, FileId, Snapshot};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

/// All chunks of a generation, numbered: here they are called units, and their files shelves.
pub(crate) struct Corpus {
    pub(super) generation: u64,
    pub(crate) catalogue: Catalogue,
    /// All vectors, in groups that are files.
    vectors: OnceLock<PackedIndex>,
    /// Held while all vectors are read: once is enough.
    reading: Mutex<()>,
    questions: AtomicU32,
    /// How many search the vectors now.
    searching: AtomicU32,
    /// How many units have vectors, once somebody has read all vectors.
    covered: OnceLock<usize>,
    /// What questions before have looked at; shared with the corpora that follow.
    pub(super) looks: Arc<Looks>,
    /// Room that no question uses; likewise.
    spare: Arc<Mutex<Vec<Room>>>,
}

/// So much room is kept while nobody uses it: for more questions at once it is made anew.
const SPARE: usize = 2;

/// With fewer vectors the search takes less time than starting a thread.
const WORTH_A_THREAD: usize = 16_384;

/// Somebody who searches the vectors. Where others do as well, the processors have enough to do.
struct Searching<'c> {
    all: &'c AtomicU32,
    others: u32,
}

impl<'c> Searching<'c> {
    fn begin(all: &'c AtomicU32) -> Self {
        Self { all, others: all.fetch_add(1, Ordering::Relaxed) }
    }
}

impl Drop for Searching<'_> {
    fn drop(&mut self) {
        self.all.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Which units are wanted.
pub(crate) struct Wanted<'w> {
    pub(crate) count: usize,
    /// Whether only some units are allowed.
    pub(crate) filtered: bool,
    pub(crate) allows: &'w dyn Fn(u32) -> bool,
}

/// The units nearest to a question.
pub(crate) struct Nearest<'c, T> {
    /// Nearest first, with their products.
    pub(crate) best: Vec<(u32, i32)>,
    pub(crate) nearness: Nearness<'c>,
    /// What was done at the same time.
    pub(crate) meanwhile: T,
}

/// How near units are to a question.
pub(crate) enum Nearness<'c> {
    /// The products of all units.
    All(Vec<i32>),
    /// The products are made when asked for.
    Some(&'c Corpus, Scan),
    /// How near all units are by another model, on the scale of the built-in one.
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
            questions: AtomicU32::new(0),
            searching: AtomicU32::new(0),
            covered: OnceLock::new(),
            looks: Arc::new(Looks::of(generation)),
            spare: Arc::default(),
        })
    }

    /// The corpus of a snapshot in which the files at these paths, which are sorted, may differ from another, and no others.
    pub(super) fn after(before: &Self, paths: &[RepoPath], snapshot: &Snapshot) -> Result<Self, EngineError> {
        let generation = snapshot.generation();
        let CatalogueUpdate { catalogue, changed, gone } =
            snapshot.catalogue_after(&before.catalogue, paths)?;
        let corpus = Self {
            generation,
            catalogue,
            vectors: OnceLock::new(),
            reading: Mutex::default(),
            questions: AtomicU32::new(before.questions.load(Ordering::Relaxed)),
            searching: AtomicU32::new(0),
            covered: OnceLock::new(),
            looks: before.looks.follow(before.generation, generation, changed.iter().chain(&gone)),
            spare: before.spare.clone(),
        };
        if let Some(vectors) = before.vectors.get() {
            let mut others = BTreeMap::new();
            for file in changed {
                let own = snapshot.vectors_of(file)?.filter(|bytes| corpus.fitting(file, bytes).is_some());
                others.insert(file.0, own.unwrap_or_default());
            }
            others.extend(gone.into_iter().map(|file| (file.0, Vec::new())));
            corpus.keep(vectors.with_groups(&others));
        }
        Ok(corpus)
    }

    /// How many units have no vector, as far as anybody has looked; all of them where there are none of today.
    pub(crate) fn bare(&self, all: bool) -> u64 {
        let units = self.catalogue.len();
        let covered = if all { 0 } else { self.covered.get().copied().unwrap_or(units) };
        (units - covered.min(units)) as u64
    }

    /// Room for what words say of the units.
    pub(crate) fn room(&self) -> Room {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Takes such room back.
    pub(crate) fn take_back(&self, room: Room) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE {
            spare.push(room);
        }
    }

    /// The first unit of a file and how many it has.
    pub(crate) fn units_of(&self, file: FileId) -> Option<(u32, u32)> {
        let file = self.catalogue.file(self.catalogue.find(file)?);
        Some((file.first, file.count))
    }

    /// The units nearest to a vector, nearest first, with their products; `meanwhile` is done at the same time where that
    /// can be.
    pub(crate) fn nearest<T>(
        &self,
        snapshot: &Snapshot,
        query: &Vector,
        wanted: &Wanted<'_>,
        meanwhile: impl FnOnce() -> Result<T, EngineError>,
    ) -> Result<Nearest<'_, T>, EngineError> {
        let first_time = self.questions.fetch_add(1, Ordering::Relaxed) == 0 && self.vectors.get().is_none();
        if first_time || wanted.filtered {
            let products = self.products(snapshot, query)?;
            let allowed = |(unit, product): &(u32, i32)| *product > 0 && (wanted.allows)(*unit);
            let mut best: Vec<(u32, i32)> = (0..).zip(products.iter().copied()).filter(allowed).collect();
            let order = |one: &(u32, i32)| (std::cmp::Reverse(one.1), one.0);
            if best.len() > wanted.count {
                best.select_nth_unstable_by_key(wanted.count, order);
                best.truncate(wanted.count);
            }
            best.sort_unstable_by_key(order);
            return Ok(Nearest { best, nearness: Nearness::All(products), meanwhile: meanwhile()? });
        }
        let vectors = self.vectors(snapshot)?;
        let searching = Searching::begin(&self.searching);
        let (hits, done) = if vectors.len() < WORTH_A_THREAD || searching.others > 0 {
            (vectors.search(query, wanted.count), meanwhile()?)
        } else {
            let count = wanted.count;
            thread::scope(|scope| {
                let search = scope.spawn(move || vectors.search(query, count));
                let done = meanwhile()?;
                // A search cannot panic; were it to, the other channels would still answer.
                Ok::<_, EngineError>((search.join().unwrap_or_default(), done))
            })?
        };
        let mut best = Vec::with_capacity(wanted.count);
        for hit in hits.into_iter().filter(|hit| hit.score > 0) {
            let (file, members) = vectors.members_of(hit.row);
            let Some((first, _)) = self.units_of(FileId(file)) else { continue };
            best.extend(members.map(|at| (first + at, hit.score)));
        }
        best.truncate(wanted.count);
        Ok(Nearest { best, nearness: Nearness::Some(self, Scan::new(query)), meanwhile: done })
    }

    /// The products of all units with a query.
    fn products(&self, snapshot: &Snapshot, query: &Vector) -> Result<Vec<i32>, EngineError> {
        let scan = Scan::new(query);
        let mut all = vec![0; self.catalogue.bound()];
        let (mut some, mut covered) = (Vec::new(), 0);
        let mut see = |file: FileId, group: PackedGroup<'_>| {
            let Some((first, _)) = self.units_of(file) else { return };
            some.clear();
            scan.products(group.vectors, &mut some);
            let mut units = all[first as usize..].iter_mut();
            for (&product, &count) in some.iter().zip(group.counts) {
                units.by_ref().take(usize::from(count)).for_each(|unit| *unit = product);
            }
            covered += group.members();
        };
        match self.vectors.get() {
            Some(vectors) => vectors.groups().for_each(|(file, group)| see(FileId(file), group)),
            None => snapshot.each_vectors(|file, bytes| {
                if let Some(group) = self.fitting(file, bytes) {
                    see(file, group);
                }
            })?,
        }
        self.covered.get_or_init(|| covered);
        Ok(all)
    }

    /// How near all units are to a query.
    pub(crate) fn nearness(&self, snapshot: &Snapshot, query: &Vector) -> Result<Vec<f32>, EngineError> {
        let dimension = BuiltIn::shared().dimension();
        Ok(self.products(snapshot, query)?.into_iter().map(|product| cosine(product, dimension)).collect())
    }

    /// The vectors of a file, if these are those of its chunks.
    fn fitting<'b>(&self, file: FileId, bytes: &'b [u8]) -> Option<PackedGroup<'b>> {
        let (_, count) = self.units_of(file)?;
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
            if let Some(group) = self.fitting(file, bytes) {
                index.push(file.0, group);
            }
        })?;
        Ok(self.keep(index))
    }

    /// Keeps vectors, whose groups are files of the corpus with as many units.
    fn keep(&self, index: PackedIndex) -> &PackedIndex {
        self.covered.get_or_init(|| index.members());
        self.vectors.get_or_init(|| index)
    }

    /// The product of a unit with a query; nought where it has no vector.
    fn product(&self, unit: u32, query: &Scan) -> i32 {
        let file = self.catalogue.file(self.catalogue.file_of(unit));
        let of = |vectors: &PackedIndex| vectors.product(file.file.0, unit - file.first, query);
        self.vectors.get().and_then(of).unwrap_or(0)
    }
}

impl Nearness<'_> {
    /// How near a unit is to the question.
    pub(crate) fn of(&self, unit: u32) -> f32 {
        let product = match self {
            Self::All(products) => products[unit as usize],
            Self::Some(corpus, query) => corpus.product(unit, query),
            Self::Scaled(near) => return near[unit as usize],
        };
        cosine(product, BuiltIn::shared().dimension())
    }
}
