//! The posting lists of trigrams: documents are files. They exclude files from a text search.

use super::error::PostingError;
use super::segments::{DocumentCounts, SegmentLayout, StoredPostings, file_number};
use crate::error::StoreError;
use crate::reader::snapshot::Snapshot;
use crate::rows::FileId;
use crate::sql::posting_tables::{self, PostingTables};
use orient_text::{
    DocumentSet, PostingBlockReader, PostingList, PostingSource, TextError, TrigramPostings, TrigramQuery,
    Trigrams, evaluate, matches,
};
use rusqlite::Connection;
use std::collections::BTreeSet;

/// Trigrams in the index.
pub(crate) struct StoredTrigrams;

impl StoredPostings for StoredTrigrams {
    type Kind = TrigramPostings;
    type Layout = TrigramLayout;

    const TABLES: PostingTables = posting_tables::TRIGRAMS;
    const MAX_RECENT: usize = 256;
    const SMALL: usize = 2048;

    fn encode(trigrams: &Trigrams) -> Vec<u8> {
        trigrams.encode()
    }

    fn decode(bytes: &[u8]) -> Result<Trigrams, TextError> {
        Trigrams::decode(bytes)
    }
}

const TABLES: PostingTables = StoredTrigrams::TABLES;

/// The files of a segment: the id of each, 0 for a tombstone. Encoded in four bytes each.
#[derive(Default)]
pub(crate) struct TrigramLayout(Vec<u32>);

impl SegmentLayout for TrigramLayout {
    type Source = Trigrams;

    fn push(&mut self, file: u32, _: &Trigrams) {
        self.0.push(file);
    }

    fn encode(&self) -> Vec<u8> {
        self.0.iter().flat_map(|file| file.to_le_bytes()).collect()
    }

    fn decode(bytes: &[u8]) -> Result<Self, TextError> {
        match bytes.as_chunks::<4>() {
            (files, []) => Ok(Self(files.iter().map(|file| u32::from_le_bytes(*file)).collect())),
            _ => Err(TextError::PARTIAL_NUMBER),
        }
    }

    fn document_counts(&self) -> DocumentCounts {
        let live = self.0.iter().filter(|file| **file != 0).count();
        DocumentCounts { all: self.0.len(), live }
    }

    fn live(&self) -> Vec<bool> {
        self.0.iter().map(|file| *file != 0).collect()
    }

    fn delete(&mut self, deleted: &BTreeSet<i64>) -> bool {
        let mut changed = false;
        for file in self.0.iter_mut().filter(|file| deleted.contains(&i64::from(**file))) {
            (*file, changed) = (0, true);
        }
        changed
    }

    fn append_live(&mut self, other: &Self) {
        self.0.extend(other.0.iter().filter(|file| **file != 0));
    }
}

/// The files that a text search can skip: their trigrams are known and rule out a match. A bit set over file ids.
#[derive(Clone, Debug, Default)]
pub struct ExcludedFiles {
    bits: Vec<u64>,
    /// The number of files whose trigrams are known.
    known: usize,
}

impl ExcludedFiles {
    /// Whether a file can be skipped.
    pub fn contains(&self, file: FileId) -> bool {
        let at = usize::try_from(file.0).unwrap_or(usize::MAX);
        self.bits.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Whether enough files are excluded to justify checking the stamps of all files.
    pub fn is_selective(&self) -> bool {
        let excluded: usize = self.bits.iter().map(|word| word.count_ones() as usize).sum();
        excluded * 2 > self.known
    }

    fn insert(&mut self, file: u32) {
        let at = file as usize;
        if self.bits.len() <= at / 64 {
            self.bits.resize(at / 64 + 1, 0);
        }
        self.bits[at / 64] |= 1 << (at % 64);
        self.known += usize::from(file != 0);
    }

    fn remove(&mut self, file: u32) {
        if let Some(word) = self.bits.get_mut(file as usize / 64) {
            *word &= !(1 << (file % 64));
        }
    }
}

impl Snapshot {
    /// The files that cannot contain a match of a pattern with these required trigrams. Files without stored trigrams are
    /// never excluded.
    pub fn excluded_files(&self, query: &TrigramQuery) -> Result<ExcludedFiles, StoreError> {
        self.find_excluded(query).map_err(|error| error.at(&self.path))
    }

    fn find_excluded(&self, query: &TrigramQuery) -> Result<ExcludedFiles, PostingError> {
        let (mut excluded, mut matching) = (ExcludedFiles::default(), Vec::new());
        if query.is_all() {
            return Ok(excluded);
        }
        for (id, bytes) in TABLES.segments(&self.db)? {
            let TrigramLayout(files) = TrigramLayout::decode(&bytes)?;
            for file in &files {
                excluded.insert(*file);
            }
            match evaluate(query, &mut Segment { db: &self.db, id, documents: files.len() as u32 })? {
                DocumentSet::All => matching.extend_from_slice(&files),
                DocumentSet::Some(documents) => {
                    matching.extend(documents.into_iter().map(|document| files[document as usize]));
                }
            }
        }
        TABLES.each_recent(&self.db, |file, data| {
            excluded.insert(file_number(file));
            if matches(query, &Trigrams::decode(data)?) {
                matching.push(file_number(file));
            }
            Ok::<_, PostingError>(())
        })?;
        // 0 is the id of tombstones.
        for file in matching.into_iter().chain([0]) {
            excluded.remove(file);
        }
        Ok(excluded)
    }

    /// Decodes all posting lists of trigrams and describes what is wrong with them.
    pub(crate) fn check_trigrams(&self, wrong: &mut Vec<String>) -> Result<(), StoreError> {
        match self.decode_all_trigrams() {
            Ok(()) => Ok(()),
            Err(PostingError::Malformed(error)) => {
                wrong.push(error.to_string());
                Ok(())
            }
            Err(error) => Err(error.at(&self.path)),
        }
    }

    fn decode_all_trigrams(&self) -> Result<(), PostingError> {
        for (id, bytes) in TABLES.segments(&self.db)? {
            let documents = TrigramLayout::decode(&bytes)?.0.len() as u32;
            TABLES.each_block(&self.db, id, |first, data| {
                for entry in PostingBlockReader::<()>::new(first, data, documents) {
                    entry?.1.for_each(|_, ()| {})?;
                }
                Ok::<_, PostingError>(())
            })?;
        }
        TABLES.each_recent(&self.db, |_, data| Ok(Trigrams::decode(data).map(drop)?))
    }
}

/// The posting lists of one segment, read from their table.
struct Segment<'s> {
    db: &'s Connection,
    id: i64,
    documents: u32,
}

impl PostingSource for Segment<'_> {
    type Error = PostingError;

    fn list<T>(
        &mut self,
        trigram: u32,
        read: impl FnOnce(Option<PostingList<'_, ()>>) -> Result<T, PostingError>,
    ) -> Result<T, PostingError> {
        TABLES.block_at(self.db, self.id, trigram, |block| match block {
            None => read(None),
            Some((first, data)) => read(PostingBlockReader::new(first, data, self.documents).find(trigram)?),
        })?
    }
}
