//! The catalogue: a number for each chunk of a generation, with its length and its file. Ranked search keeps it in memory.
//!
//! Chunks are numbered segment by segment, deleted ones included, then by the ids of the recent files. So generations share
//! every segment that is in both, and advancing from one to the next costs as much as the changed files. The order of the
//! chunks does not depend on how a catalogue was made.
//!
//! Example: segment 1 has file 7 with chunks 0 and 1, and deleted file 8 with chunk 2; segment 2 has file 9 with chunk 3; file
//! 8 is now a recent file with chunks 4 and 5. An edit of file 9 marks number 3 as deleted and appends file 9 behind file 8;
//! numbers 0 to 2 and the memory of segment 1 stay.

mod advance;
mod segment;

pub use advance::CatalogueUpdate;

use crate::error::StoreError;
use crate::postings::error::PostingError;
use crate::reader::snapshot::Snapshot;
use crate::rows::FileId;
use crate::sql::posting_tables::TERMS;
use crate::sql::vectors;
use orient_text::{PostingBlockReader, PostingList, TermOccurrence, TextError};
use rusqlite::Connection;
use segment::{LiveSegment, Recent, RecentTerms};
use std::sync::Arc;

/// The numbers of all chunks of one generation. Numbers of deleted chunks are unused.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    segments: Vec<LiveSegment>,
    /// By id.
    recent: Vec<Recent>,
    /// The number of each file that is in a segment, by id. Some may be deleted by now.
    by_file: Arc<Vec<(FileId, u32)>>,
    /// The numbers of chunks and of files that the segments take.
    in_segments: (u32, u32),
    bound: u32,
    chunks: usize,
    terms: u64,
}

/// The chunks of a file in a catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatalogueFile {
    /// Its id.
    pub file: FileId,
    /// The number of its first chunk.
    pub first: u32,
    /// Its number of chunks.
    pub count: u32,
}

/// A posting of a term: a chunk that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkPosting {
    /// The number of the chunk.
    pub chunk: u32,
    /// The number of its file.
    pub file: u32,
    /// Its length, in terms.
    pub length: u16,
    /// How the term occurs in it.
    pub occurrence: TermOccurrence,
}

impl Catalogue {
    fn read(db: &Connection) -> Result<Self, PostingError> {
        let segments = TERMS.segment_ids(db)?.into_iter().map(|id| LiveSegment::read(db, id));
        let segments = segments.collect::<Result<_, _>>()?;
        let mut recent = Vec::new();
        for file in TERMS.recent_ids(db)? {
            let terms = Arc::new(RecentTerms::read(db, file)?);
            recent.push(Recent { file: FileId(file), terms, first: 0 });
        }
        Ok(Self::of(segments, recent, None))
    }

    /// Numbers the chunks of segments and recent files. `by_file` comes from a catalogue of the same segments.
    fn of(segments: Vec<LiveSegment>, recent: Vec<Recent>, by_file: Option<Arc<Vec<(FileId, u32)>>>) -> Self {
        let mut all = Self { segments, recent, ..Self::default() };
        for segment in &mut all.segments {
            (segment.chunks_from, segment.files_from) = all.in_segments;
            all.in_segments.0 += segment.shared.lengths.len() as u32;
            all.in_segments.1 += segment.shared.len();
            all.chunks += segment.chunks;
            all.terms += segment.terms;
        }
        all.bound = all.in_segments.0;
        for recent in &mut all.recent {
            recent.first = all.bound;
            let lengths = &recent.terms.lengths;
            all.bound += lengths.len() as u32;
            all.chunks += lengths.len();
            all.terms += lengths.iter().map(|&length| u64::from(length)).sum::<u64>();
        }
        all.by_file = by_file.unwrap_or_else(|| {
            let file = |segment: &LiveSegment, (at, file): (u32, FileId)| (file, segment.files_from + at);
            let files =
                all.segments.iter().flat_map(|segment| segment.live().map(move |one| file(segment, one)));
            let mut by_file: Vec<(FileId, u32)> = files.collect();
            by_file.sort_unstable();
            Arc::new(by_file)
        });
        all
    }

    /// The number of chunks.
    pub fn len(&self) -> usize {
        self.chunks
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.chunks == 0
    }

    /// The total length of all chunks, in terms.
    pub fn terms(&self) -> u64 {
        self.terms
    }

    /// The numbers of all chunks are below this.
    pub fn bound(&self) -> usize {
        self.bound as usize
    }

    /// The numbers of all files are below this.
    pub fn file_bound(&self) -> usize {
        self.in_segments.1 as usize + self.recent.len()
    }

    /// The files, in the order of their chunks.
    pub fn files(&self) -> impl Iterator<Item = CatalogueFile> {
        let in_segments =
            self.segments.iter().flat_map(|segment| segment.live().map(|(at, _)| segment.files_from + at));
        in_segments.chain((self.in_segments.1..).take(self.recent.len())).map(|number| self.file(number))
    }

    /// The file with a number.
    pub fn file(&self, number: u32) -> CatalogueFile {
        if let Some(recent) = number.checked_sub(self.in_segments.1) {
            let Recent { file, terms, first } = &self.recent[recent as usize];
            return CatalogueFile { file: *file, first: *first, count: terms.lengths.len() as u32 };
        }
        let at = self.segments.partition_point(|segment| segment.files_from <= number);
        let segment = &self.segments[at.saturating_sub(1)];
        let at = number - segment.files_from;
        let (first, count) = segment.shared.chunks_of(at);
        CatalogueFile { file: segment.shared.file(at), first: segment.chunks_from + first, count }
    }

    /// The number of a chunk's file.
    pub fn file_of(&self, chunk: u32) -> u32 {
        if chunk >= self.in_segments.0 {
            let at = self.recent.partition_point(|recent| recent.first <= chunk);
            return self.in_segments.1 + at.saturating_sub(1) as u32;
        }
        let at = self.segments.partition_point(|segment| segment.chunks_from <= chunk);
        let segment = &self.segments[at.saturating_sub(1)];
        segment.files_from + segment.shared.file_of[(chunk - segment.chunks_from) as usize]
    }

    /// The length of a chunk, in terms.
    pub fn length(&self, chunk: u32) -> u16 {
        let file = self.file_of(chunk);
        if let Some(recent) = file.checked_sub(self.in_segments.1) {
            let Recent { terms, first, .. } = &self.recent[recent as usize];
            return terms.lengths[(chunk - first) as usize];
        }
        let at = self.segments.partition_point(|segment| segment.chunks_from <= chunk);
        let segment = &self.segments[at.saturating_sub(1)];
        segment.shared.lengths[(chunk - segment.chunks_from) as usize]
    }

    /// The number of a file; `None` if it has no chunks.
    pub fn find(&self, file: FileId) -> Option<u32> {
        if let Ok(at) = self.recent.binary_search_by_key(&file, |recent| recent.file) {
            return Some(self.in_segments.1 + at as u32);
        }
        let (segment, at) = self.position_in_segments(file)?;
        Some(self.segments[segment].files_from + at)
    }

    /// The index of the segment that contains a file, and the index of the file in it.
    fn position_in_segments(&self, file: FileId) -> Option<(usize, u32)> {
        let at = self.by_file.binary_search_by_key(&file, |one| one.0).ok()?;
        let file = self.by_file[at].1;
        let segment = self.segments.partition_point(|segment| segment.files_from <= file).checked_sub(1)?;
        let at = file - self.segments[segment].files_from;
        (!self.segments[segment].is_deleted(at)).then_some((segment, at))
    }

    /// Passes the live postings of a list of a segment to `see`.
    fn each_posting(
        segment: &LiveSegment,
        list: &PostingList<'_, TermOccurrence>,
        mut see: impl FnMut(ChunkPosting),
    ) -> Result<(), TextError> {
        let shared = &segment.shared;
        list.for_each(|chunk, occurrence| {
            let at = shared.file_of[chunk as usize];
            if !segment.is_deleted(at) {
                see(ChunkPosting {
                    chunk: segment.chunks_from + chunk,
                    file: segment.files_from + at,
                    length: shared.lengths[chunk as usize],
                    occurrence,
                });
            }
        })
    }

    /// Passes the postings of a list of a recent file to `see`.
    fn each_recent_posting(
        &self,
        at: usize,
        list: &PostingList<'_, TermOccurrence>,
        mut see: impl FnMut(ChunkPosting),
    ) -> Result<(), TextError> {
        let Recent { terms, first, .. } = &self.recent[at];
        let file = self.in_segments.1 + at as u32;
        list.for_each(|chunk, occurrence| {
            see(ChunkPosting {
                chunk: first + chunk,
                file,
                length: terms.lengths[chunk as usize],
                occurrence,
            });
        })
    }
}

impl Snapshot {
    /// The catalogue of this generation.
    pub fn catalogue(&self) -> Result<Catalogue, StoreError> {
        Catalogue::read(&self.db).map_err(|error| error.at(&self.path))
    }

    /// Passes the postings of a term to `see`, file by file.
    pub fn each_with_term(
        &self,
        catalogue: &Catalogue,
        term: u32,
        see: impl FnMut(ChunkPosting),
    ) -> Result<(), StoreError> {
        self.find_term(catalogue, term, see).map_err(|error| error.at(&self.path))
    }

    fn find_term(
        &self,
        all: &Catalogue,
        term: u32,
        mut see: impl FnMut(ChunkPosting),
    ) -> Result<(), PostingError> {
        for segment in &all.segments {
            TERMS.block_at(&self.db, segment.shared.id, term, |block| {
                let Some((first, data)) = block else { return Ok(()) };
                let block = PostingBlockReader::new(first, data, segment.shared.lengths.len() as u32);
                match block.find(term)? {
                    Some(list) => Catalogue::each_posting(segment, &list, &mut see),
                    None => Ok(()),
                }
            })??;
        }
        for (at, recent) in all.recent.iter().enumerate() {
            if let Some(list) = recent.terms.find(term)? {
                all.each_recent_posting(at, &list, &mut see)?;
            }
        }
        Ok(())
    }

    /// Passes all postings with the hashes of their terms to `see`, in no particular order.
    pub fn each_term(
        &self,
        all: &Catalogue,
        mut see: impl FnMut(u32, ChunkPosting),
    ) -> Result<(), StoreError> {
        let mut read = || {
            for segment in &all.segments {
                TERMS.each_block(&self.db, segment.shared.id, |first, data| {
                    for entry in PostingBlockReader::new(first, data, segment.shared.lengths.len() as u32) {
                        let (term, list) = entry?;
                        Catalogue::each_posting(segment, &list, |posting| see(term, posting))?;
                    }
                    Ok::<_, PostingError>(())
                })?;
            }
            for (at, recent) in all.recent.iter().enumerate() {
                for entry in recent.terms.lists() {
                    let (term, list) = entry?;
                    all.each_recent_posting(at, &list, |posting| see(term, posting))?;
                }
            }
            Ok(())
        };
        read().map_err(|error: PostingError| error.at(&self.path))
    }

    /// Passes the vectors of all files to `see`, by id.
    pub fn each_vectors(&self, mut see: impl FnMut(FileId, &[u8])) -> Result<(), StoreError> {
        vectors::each(&self.db, |file, data| see(FileId(file), data))
            .map_err(|error| StoreError::sql(&self.path, error))
    }

    /// The vectors of a file, concatenated.
    pub fn vectors_of(&self, file: FileId) -> Result<Option<Vec<u8>>, StoreError> {
        vectors::of_file(&self.db, file.0).map_err(|error| StoreError::sql(&self.path, error))
    }
}
