//! The segments of a catalogue, which generations share, and its recent files.

use crate::postings::error::PostingError;
use crate::postings::segments::SegmentLayout;
use crate::postings::terms::TermLayout;
use crate::rows::FileId;
use crate::sql::posting_tables::TERMS;
use orient_text::{ChunkTerms, PostingBlockReader, PostingList, TermOccurrence, TextError};
use rusqlite::Connection;
use std::sync::Arc;

/// The layout of a segment when it was first read. Files may be deleted by now.
#[derive(Debug)]
pub(super) struct SharedSegment {
    pub(super) id: i64,
    /// The id of each file, 0 for a tombstone, and its first chunk.
    files: Vec<(u32, u32)>,
    /// The length of each chunk, in terms.
    pub(super) lengths: Vec<u16>,
    /// The file of each chunk, as an index into the files.
    pub(super) file_of: Vec<u32>,
}

impl SharedSegment {
    /// The first chunk of a file and its number of chunks.
    pub(super) fn chunks_of(&self, at: u32) -> (u32, u32) {
        let first = self.files[at as usize].1;
        let end = self.files.get(at as usize + 1).map_or(self.lengths.len() as u32, |next| next.1);
        (first, end - first)
    }

    pub(super) fn file(&self, at: u32) -> FileId {
        FileId(self.files[at as usize].0.into())
    }

    pub(super) fn len(&self) -> u32 {
        self.files.len() as u32
    }
}

/// A segment in a generation.
#[derive(Clone, Debug)]
pub(super) struct LiveSegment {
    pub(super) shared: Arc<SharedSegment>,
    /// The numbers of its first chunk and of its first file.
    pub(super) chunks_from: u32,
    pub(super) files_from: u32,
    /// Tombstones: a bit for each file.
    tombstones: Vec<u64>,
    /// The number of live files, of their chunks, and of the terms of these.
    pub(super) files: u32,
    pub(super) chunks: usize,
    pub(super) terms: u64,
}

impl LiveSegment {
    pub(super) fn read(db: &Connection, id: i64) -> Result<Self, PostingError> {
        let layout = TERMS.segment(db, id, TermLayout::decode)??;
        let mut files = Vec::with_capacity(layout.files.len());
        let mut file_of = Vec::with_capacity(layout.lengths.len());
        for (at, &(file, count)) in (0..).zip(&layout.files) {
            files.push((file, file_of.len() as u32));
            file_of.resize(file_of.len() + count as usize, at);
        }
        let mut segment = Self {
            files: files.len() as u32,
            chunks: layout.lengths.len(),
            terms: layout.lengths.iter().map(|&length| u64::from(length)).sum(),
            tombstones: vec![0; files.len().div_ceil(64)],
            shared: Arc::new(SharedSegment { id, files, lengths: layout.lengths, file_of }),
            chunks_from: 0,
            files_from: 0,
        };
        for (at, _) in (0..).zip(&layout.files).filter(|(_, (file, _))| *file == 0) {
            segment.delete(at);
        }
        Ok(segment)
    }

    #[inline]
    pub(super) fn is_deleted(&self, at: u32) -> bool {
        self.tombstones[at as usize / 64] >> (at % 64) & 1 == 1
    }

    /// Marks a file as deleted.
    pub(super) fn delete(&mut self, at: u32) {
        if self.is_deleted(at) {
            return;
        }
        self.tombstones[at as usize / 64] |= 1 << (at % 64);
        let (first, count) = self.shared.chunks_of(at);
        let lengths = &self.shared.lengths[first as usize..(first + count) as usize];
        self.files -= 1;
        self.chunks -= lengths.len();
        self.terms -= lengths.iter().map(|&length| u64::from(length)).sum::<u64>();
    }

    /// The live files with their indexes.
    pub(super) fn live(&self) -> impl Iterator<Item = (u32, FileId)> {
        let files = (0..self.shared.len()).filter(|at| !self.is_deleted(*at));
        files.map(|at| (at, self.shared.file(at)))
    }

    /// The files that were deleted since. `None` if another segment has this id now.
    pub(super) fn newly_deleted(&self, db: &Connection) -> Result<Option<Vec<u32>>, PostingError> {
        let read = |bytes: &[u8]| {
            let (files, lengths) = TermLayout::split(bytes)?;
            if lengths.len() != 2 * self.shared.lengths.len() {
                return Ok(None);
            }
            let (mut tombstones, mut seen) = (Vec::new(), 0);
            for (at, (file, count)) in (0..).zip(files) {
                if at >= self.shared.len() || self.shared.chunks_of(at).1 != count {
                    return Ok(None);
                }
                match (file, self.is_deleted(at)) {
                    (0, false) => tombstones.push(at),
                    (0, true) => {}
                    (file, is_deleted) if is_deleted || self.shared.file(at) != FileId(file.into()) => {
                        return Ok(None);
                    }
                    _ => {}
                }
                seen += 1;
            }
            Ok::<_, TextError>((seen == self.shared.len()).then_some(tombstones))
        };
        Ok(TERMS.segment(db, self.shared.id, read)??)
    }
}

/// The number of posting lists between two skips of a recent file.
const SKIP_INTERVAL: usize = 16;

/// The terms of a recent file: a file that is in no segment yet.
#[derive(Debug)]
pub(super) struct RecentTerms {
    pub(super) lengths: Vec<u16>,
    data: Vec<u8>,
    /// A skip list: for every [`SKIP_INTERVAL`]-th posting list the term before it and its offset.
    skips: Vec<(u32, u32)>,
}

impl RecentTerms {
    pub(super) fn read(db: &Connection, file: i64) -> Result<Self, PostingError> {
        let data = TERMS.recent(db, file)?;
        let (lengths, lists) = ChunkTerms::split(&data)?;
        let before = data.len() - lists.len();
        let all = PostingBlockReader::<TermOccurrence>::new(0, lists, lengths.len() as u32);
        let mut skips = all.skips(SKIP_INTERVAL)?;
        for (_, at) in &mut skips {
            *at += before as u32;
        }
        Ok(Self { lengths, data, skips })
    }

    /// All posting lists.
    pub(super) fn lists(&self) -> PostingBlockReader<'_, TermOccurrence> {
        self.lists_from(self.skips.first())
    }

    /// The posting list of a term.
    pub(super) fn find(&self, term: u32) -> Result<Option<PostingList<'_, TermOccurrence>>, TextError> {
        let at = self.skips.partition_point(|(before, _)| *before < term);
        self.lists_from(self.skips.get(at.saturating_sub(1))).find(term)
    }

    fn lists_from(&self, skip: Option<&(u32, u32)>) -> PostingBlockReader<'_, TermOccurrence> {
        let (term, at) = skip.copied().unwrap_or((0, self.data.len() as u32));
        PostingBlockReader::new(term, &self.data[at as usize..], self.lengths.len() as u32)
    }
}

/// A recent file with its place in a catalogue.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    pub(super) file: FileId,
    pub(super) terms: Arc<RecentTerms>,
    /// The number of its first chunk.
    pub(super) first: u32,
}
