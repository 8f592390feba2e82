//! All chunks of a generation, numbered: what a search reads of the index as a whole.
//!
//! A chunk's number is its place: segment by segment, holes included, then the recent files by id. So generations share
//! every segment that is in both, and one that follows from another costs what the changed files cost. However a
//! catalogue came to be, its chunks are in the same order.

mod advance;
mod segment;

pub use advance::Followed;

use crate::error::StoreError;
use crate::postings::error::ListError;
use crate::reader::snapshot::Snapshot;
use crate::rows::FileId;
use crate::sql::terms as sql;
use orient_text::{Mark, TermBlockReader, TermList, TextError};
use rusqlite::Connection;
use segment::{Part, Recent, RecentTerms};
use std::sync::Arc;

/// All chunks of the index, numbered: how long each is, and where its terms are. Some numbers stand for no chunk.
///
/// The numbers hold for one generation.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    parts: Vec<Part>,
    /// By id.
    recent: Vec<Recent>,
    /// The shelf of each file that is in a segment, by file. Some of them may be gone since.
    by_file: Arc<Vec<(FileId, u32)>>,
    /// How many numbers the segments take: of chunks and of shelves.
    settled: (u32, u32),
    bound: u32,
    chunks: usize,
    terms: u64,
}

/// The chunks of a file in a catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shelf {
    /// The file.
    pub file: FileId,
    /// The number of its first chunk.
    pub first: u32,
    /// How many it has.
    pub count: u32,
}

/// A chunk that has a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its number.
    pub chunk: u32,
    /// The number of its shelf.
    pub shelf: u32,
    /// How many terms its text has.
    pub length: u16,
    /// What the term is to it.
    pub mark: Mark,
}

impl Catalogue {
    fn read(db: &Connection) -> Result<Self, ListError> {
        let parts = sql::segment_ids(db)?.into_iter().map(|id| Part::read(db, id));
        let parts = parts.collect::<Result<_, _>>()?;
        let mut recent = Vec::new();
        for file in sql::recent_ids(db)? {
            let terms = Arc::new(RecentTerms::read(db, file)?);
            recent.push(Recent { file: FileId(file), terms, first: 0 });
        }
        Ok(Self::of(parts, recent, None))
    }

    /// Numbers what it is made of. `by_file` is that of a catalogue of the same segments.
    fn of(parts: Vec<Part>, recent: Vec<Recent>, by_file: Option<Arc<Vec<(FileId, u32)>>>) -> Self {
        let mut all = Self { parts, recent, ..Self::default() };
        for part in &mut all.parts {
            (part.chunks_from, part.shelves_from) = all.settled;
            all.settled.0 += part.segment.lengths.len() as u32;
            all.settled.1 += part.segment.len();
            all.chunks += part.chunks;
            all.terms += part.terms;
        }
        all.bound = all.settled.0;
        for recent in &mut all.recent {
            recent.first = all.bound;
            let lengths = &recent.terms.lengths;
            all.bound += lengths.len() as u32;
            all.chunks += lengths.len();
            all.terms += lengths.iter().map(|&length| u64::from(length)).sum::<u64>();
        }
        all.by_file = by_file.unwrap_or_else(|| {
            let shelf = |part: &Part, (at, file): (u32, FileId)| (file, part.shelves_from + at);
            let shelves = all.parts.iter().flat_map(|part| part.live().map(move |one| shelf(part, one)));
            let mut by_file: Vec<(FileId, u32)> = shelves.collect();
            by_file.sort_unstable();
            Arc::new(by_file)
        });
        all
    }

    /// How many chunks there are.
    pub fn len(&self) -> usize {
        self.chunks
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.chunks == 0
    }

    /// How many terms the texts of all chunks have.
    pub fn terms(&self) -> u64 {
        self.terms
    }

    /// All numbers of chunks are below this.
    pub fn bound(&self) -> usize {
        self.bound as usize
    }

    /// All numbers of shelves are below this.
    pub fn shelf_bound(&self) -> usize {
        self.settled.1 as usize + self.recent.len()
    }

    /// The files, in the order of their chunks.
    pub fn shelves(&self) -> impl Iterator<Item = Shelf> {
        let settled = self.parts.iter().flat_map(|part| part.live().map(|(at, _)| part.shelves_from + at));
        settled.chain((self.settled.1..).take(self.recent.len())).map(|number| self.shelf(number))
    }

    /// The shelf with a number.
    pub fn shelf(&self, number: u32) -> Shelf {
        if let Some(recent) = number.checked_sub(self.settled.1) {
            let Recent { file, terms, first } = &self.recent[recent as usize];
            return Shelf { file: *file, first: *first, count: terms.lengths.len() as u32 };
        }
        let at = self.parts.partition_point(|part| part.shelves_from <= number);
        let part = &self.parts[at.saturating_sub(1)];
        let at = number - part.shelves_from;
        let (first, count) = part.segment.places(at);
        Shelf { file: part.segment.file(at), first: part.chunks_from + first, count }
    }

    /// The number of the shelf a chunk is on.
    pub fn shelf_of(&self, chunk: u32) -> u32 {
        if chunk >= self.settled.0 {
            let at = self.recent.partition_point(|recent| recent.first <= chunk);
            return self.settled.1 + at.saturating_sub(1) as u32;
        }
        let at = self.parts.partition_point(|part| part.chunks_from <= chunk);
        let part = &self.parts[at.saturating_sub(1)];
        part.shelves_from + part.segment.file_of[(chunk - part.chunks_from) as usize]
    }

    /// How many terms the text of a chunk has.
    pub fn length(&self, chunk: u32) -> u16 {
        let shelf = self.shelf_of(chunk);
        if let Some(recent) = shelf.checked_sub(self.settled.1) {
            let Recent { terms, first, .. } = &self.recent[recent as usize];
            return terms.lengths[(chunk - first) as usize];
        }
        let at = self.parts.partition_point(|part| part.chunks_from <= chunk);
        let part = &self.parts[at.saturating_sub(1)];
        part.segment.lengths[(chunk - part.chunks_from) as usize]
    }

    /// The number of the shelf of a file; none where it has no chunks.
    pub fn find(&self, file: FileId) -> Option<u32> {
        if let Ok(at) = self.recent.binary_search_by_key(&file, |recent| recent.file) {
            return Some(self.settled.1 + at as u32);
        }
        let (part, at) = self.settled_at(file)?;
        Some(self.parts[part].shelves_from + at)
    }

    /// Where a file is among the segments: in which, and its place there.
    fn settled_at(&self, file: FileId) -> Option<(usize, u32)> {
        let at = self.by_file.binary_search_by_key(&file, |one| one.0).ok()?;
        let shelf = self.by_file[at].1;
        let part = self.parts.partition_point(|part| part.shelves_from <= shelf).checked_sub(1)?;
        let at = shelf - self.parts[part].shelves_from;
        (!self.parts[part].is_gone(at)).then_some((part, at))
    }

    /// Shows what a list of a segment says.
    fn each_holder(part: &Part, list: &TermList<'_>, mut see: impl FnMut(Holder)) -> Result<(), TextError> {
        let segment = &part.segment;
        list.each(|place, mark| {
            let at = segment.file_of[place as usize];
            if !part.is_gone(at) {
                see(Holder {
                    chunk: part.chunks_from + place,
                    shelf: part.shelves_from + at,
                    length: segment.lengths[place as usize],
                    mark,
                });
            }
        })
    }

    /// The same of a recent file, by its place among them.
    fn each_recent_holder(
        &self,
        at: usize,
        list: &TermList<'_>,
        mut see: impl FnMut(Holder),
    ) -> Result<(), TextError> {
        let Recent { terms, first, .. } = &self.recent[at];
        let shelf = self.settled.1 + at as u32;
        list.each(|place, mark| {
            see(Holder { chunk: first + place, shelf, length: terms.lengths[place as usize], mark });
        })
    }
}

impl Snapshot {
    /// All chunks, numbered.
    pub fn catalogue(&self) -> Result<Catalogue, StoreError> {
        Catalogue::read(&self.db).map_err(|error| error.at(&self.path))
    }

    /// Shows the chunks that have a term, file by file.
    pub fn each_with_term(
        &self,
        catalogue: &Catalogue,
        term: u32,
        see: impl FnMut(Holder),
    ) -> Result<(), StoreError> {
        self.find_term(catalogue, term, see).map_err(|error| error.at(&self.path))
    }

    fn find_term(&self, all: &Catalogue, term: u32, mut see: impl FnMut(Holder)) -> Result<(), ListError> {
        for part in &all.parts {
            sql::block_at(&self.db, part.segment.id, term, |block| {
                let Some((first, data)) = block else { return Ok(()) };
                let block = TermBlockReader::new(first, data, part.segment.lengths.len() as u32);
                match block.find(term)? {
                    Some(list) => Catalogue::each_holder(part, &list, &mut see),
                    None => Ok(()),
                }
            })??;
        }
        for (at, recent) in all.recent.iter().enumerate() {
            if let Some(list) = recent.terms.find(term)? {
                all.each_recent_holder(at, &list, &mut see)?;
            }
        }
        Ok(())
    }

    /// Shows all terms of all chunks: the number of the term, and who holds it. In no particular order.
    pub fn each_term(&self, all: &Catalogue, mut see: impl FnMut(u32, Holder)) -> Result<(), StoreError> {
        let mut read = || {
            for part in &all.parts {
                sql::each_block(&self.db, part.segment.id, |first, data| {
                    for entry in TermBlockReader::new(first, data, part.segment.lengths.len() as u32) {
                        let (term, list) = entry?;
                        Catalogue::each_holder(part, &list, |holder| see(term, holder))?;
                    }
                    Ok::<_, ListError>(())
                })?;
            }
            for (at, recent) in all.recent.iter().enumerate() {
                for entry in recent.terms.lists() {
                    let (term, list) = entry?;
                    all.each_recent_holder(at, &list, |holder| see(term, holder))?;
                }
            }
            Ok(())
        };
        read().map_err(|error: ListError| error.at(&self.path))
    }

    /// Shows the vectors of all files, by id.
    pub fn each_vectors(&self, mut see: impl FnMut(FileId, &[u8])) -> Result<(), StoreError> {
        sql::each_vectors(&self.db, |file, data| see(FileId(file), data))
            .map_err(|error| StoreError::sql(&self.path, error))
    }

    /// The vectors of a file, one after the other.
    pub fn vectors_of(&self, file: FileId) -> Result<Option<Vec<u8>>, StoreError> {
        sql::vectors_of(&self.db, file.0).map_err(|error| StoreError::sql(&self.path, error))
    }
}
