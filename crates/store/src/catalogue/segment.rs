//! What a catalogue is made of: segments, which generations share, and the recent files.

use crate::postings::error::ListError;
use crate::postings::terms::Layout;
use crate::rows::FileId;
use crate::sql::terms as sql;
use orient_text::{TermBlockReader, TermList, Terms, TextError};
use rusqlite::Connection;
use std::sync::Arc;

/// The files and chunks of a segment as it was when it was first read. Files may be gone since.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) id: i64,
    /// The id of each file, 0 where it was gone already, and its first place.
    files: Vec<(u32, u32)>,
    /// How long the chunk at each place is.
    pub(super) lengths: Vec<u16>,
    /// The file of each place, as an index into the files.
    pub(super) file_of: Vec<u32>,
}

impl Segment {
    /// The places of a file: the first one and how many.
    pub(super) fn places(&self, at: u32) -> (u32, u32) {
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
pub(super) struct Part {
    pub(super) segment: Arc<Segment>,
    /// The number of its first chunk, and of its first shelf.
    pub(super) chunks_from: u32,
    pub(super) shelves_from: u32,
    /// A bit for each file that is gone.
    gone: Vec<u64>,
    /// How many files are there, how many chunks they have, and how many terms these.
    pub(super) files: u32,
    pub(super) chunks: usize,
    pub(super) terms: u64,
}

impl Part {
    pub(super) fn read(db: &Connection, id: i64) -> Result<Self, ListError> {
        let layout = sql::segment(db, id, Layout::decode)??;
        let mut files = Vec::with_capacity(layout.files.len());
        let mut file_of = Vec::with_capacity(layout.lengths.len());
        for (at, &(file, count)) in (0..).zip(&layout.files) {
            files.push((file, file_of.len() as u32));
            file_of.resize(file_of.len() + count as usize, at);
        }
        let mut part = Self {
            files: files.len() as u32,
            chunks: layout.lengths.len(),
            terms: layout.lengths.iter().map(|&length| u64::from(length)).sum(),
            gone: vec![0; files.len().div_ceil(64)],
            segment: Arc::new(Segment { id, files, lengths: layout.lengths, file_of }),
            chunks_from: 0,
            shelves_from: 0,
        };
        for (at, _) in (0..).zip(&layout.files).filter(|(_, (file, _))| *file == 0) {
            part.take_away(at);
        }
        Ok(part)
    }

    #[inline]
    pub(super) fn is_gone(&self, at: u32) -> bool {
        self.gone[at as usize / 64] >> (at % 64) & 1 == 1
    }

    /// A file is gone from here.
    pub(super) fn take_away(&mut self, at: u32) {
        if self.is_gone(at) {
            return;
        }
        self.gone[at as usize / 64] |= 1 << (at % 64);
        let (first, count) = self.segment.places(at);
        let lengths = &self.segment.lengths[first as usize..(first + count) as usize];
        self.files -= 1;
        self.chunks -= lengths.len();
        self.terms -= lengths.iter().map(|&length| u64::from(length)).sum::<u64>();
    }

    /// The files that are there, with their places among all of the segment.
    pub(super) fn live(&self) -> impl Iterator<Item = (u32, FileId)> {
        let files = (0..self.segment.len()).filter(|at| !self.is_gone(*at));
        files.map(|at| (at, self.segment.file(at)))
    }

    /// The files of the segment that are gone now, and were there before; none where it is another segment of the same
    /// number.
    pub(super) fn newly_gone(&self, db: &Connection) -> Result<Option<Vec<u32>>, ListError> {
        let read = |bytes: &[u8]| {
            let (files, lengths) = Layout::split(bytes)?;
            if lengths.len() != 2 * self.segment.lengths.len() {
                return Ok(None);
            }
            let (mut gone, mut seen) = (Vec::new(), 0);
            for (at, (file, count)) in (0..).zip(files) {
                if at >= self.segment.len() || self.segment.places(at).1 != count {
                    return Ok(None);
                }
                match (file, self.is_gone(at)) {
                    (0, false) => gone.push(at),
                    (0, true) => {}
                    (file, is_gone) if is_gone || self.segment.file(at) != FileId(file.into()) => {
                        return Ok(None);
                    }
                    _ => {}
                }
                seen += 1;
            }
            Ok::<_, TextError>((seen == self.segment.len()).then_some(gone))
        };
        Ok(sql::segment(db, self.segment.id, read)??)
    }
}

/// So many lists of a recent file are looked through for a term.
const LISTS: usize = 16;

/// The terms of a file that has no segment.
#[derive(Debug)]
pub(super) struct RecentTerms {
    pub(super) lengths: Vec<u16>,
    data: Vec<u8>,
    /// Where every [`LISTS`]th list begins, and the term before it.
    steps: Vec<(u32, u32)>,
}

impl RecentTerms {
    pub(super) fn read(db: &Connection, file: i64) -> Result<Self, ListError> {
        let data = sql::recent(db, file)?;
        let (lengths, lists) = Terms::split(&data)?;
        let before = data.len() - lists.len();
        let all = TermBlockReader::new(0, lists, lengths.len() as u32);
        let mut steps = all.steps(LISTS)?;
        for (_, at) in &mut steps {
            *at += before as u32;
        }
        Ok(Self { lengths, data, steps })
    }

    /// All lists.
    pub(super) fn lists(&self) -> TermBlockReader<'_> {
        self.lists_from(self.steps.first())
    }

    /// The list of a term.
    pub(super) fn find(&self, term: u32) -> Result<Option<TermList<'_>>, TextError> {
        let at = self.steps.partition_point(|(before, _)| *before < term);
        self.lists_from(self.steps.get(at.saturating_sub(1))).find(term)
    }

    fn lists_from(&self, step: Option<&(u32, u32)>) -> TermBlockReader<'_> {
        let (term, at) = step.copied().unwrap_or((0, self.data.len() as u32));
        TermBlockReader::new(term, &self.data[at as usize..], self.lengths.len() as u32)
    }
}

/// A file that has no segment, in a generation.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    pub(super) file: FileId,
    pub(super) terms: Arc<RecentTerms>,
    /// The number of its first chunk.
    pub(super) first: u32,
}
