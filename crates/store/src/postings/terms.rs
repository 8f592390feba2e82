//! The posting lists of terms: documents are chunks, and a file has several.

use super::segments::{DocumentCounts, SegmentLayout, StoredPostings};
use crate::sql::posting_tables::{self, PostingTables};
use orient_text::{ChunkTerms, TermPostings, TextError};
use std::collections::BTreeSet;

/// Terms in the index.
pub(crate) struct StoredTerms;

impl StoredPostings for StoredTerms {
    type Kind = TermPostings;
    type Layout = TermLayout;

    const TABLES: PostingTables = posting_tables::TERMS;
    const MAX_RECENT: usize = 128;
    const SMALL: usize = 16_384;

    fn encode(terms: &ChunkTerms) -> Vec<u8> {
        terms.encode()
    }

    fn decode(bytes: &[u8]) -> Result<ChunkTerms, TextError> {
        ChunkTerms::decode(bytes)
    }
}

/// The files and chunks of a segment. Encoded: the number of files; for each file its id and its number of chunks; for
/// each chunk its length in terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TermLayout {
    /// The id of each file, 0 for a tombstone, and its number of chunks.
    pub(crate) files: Vec<(u32, u32)>,
    /// The length of each chunk, in terms.
    pub(crate) lengths: Vec<u16>,
}

impl TermLayout {
    /// The files of an encoded layout, and the bytes of the lengths.
    pub(crate) fn split(bytes: &[u8]) -> Result<(impl Iterator<Item = (u32, u32)>, &[u8]), TextError> {
        let (count, rest) = bytes.split_first_chunk::<4>().ok_or(TextError::PARTIAL_NUMBER)?;
        let count = u32::from_le_bytes(*count) as usize;
        let (files, lengths) = rest.split_at_checked(count * 8).ok_or(TextError::PARTIAL_NUMBER)?;
        let number = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
        let pairs = files.as_chunks::<4>().0.as_chunks::<2>().0;
        Ok((pairs.iter().map(move |[file, count]| (number(file), number(count))), lengths))
    }
}

impl SegmentLayout for TermLayout {
    type Source = ChunkTerms;

    fn push(&mut self, file: u32, terms: &ChunkTerms) {
        self.files.push((file, terms.lengths.len() as u32));
        self.lengths.extend_from_slice(&terms.lengths);
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = (self.files.len() as u32).to_le_bytes().to_vec();
        bytes.extend(
            self.files.iter().flat_map(|(file, count)| [file.to_le_bytes(), count.to_le_bytes()].concat()),
        );
        bytes.extend(self.lengths.iter().flat_map(|length| length.to_le_bytes()));
        bytes
    }

    fn decode(bytes: &[u8]) -> Result<Self, TextError> {
        let (files, lengths) = Self::split(bytes)?;
        let files: Vec<(u32, u32)> = files.collect();
        let lengths: Vec<u16> =
            lengths.as_chunks::<2>().0.iter().map(|two| u16::from_le_bytes(*two)).collect();
        let chunks: u64 = files.iter().map(|(_, count)| u64::from(*count)).sum();
        if chunks == lengths.len() as u64 {
            Ok(Self { files, lengths })
        } else {
            Err(TextError::PARTIAL_NUMBER)
        }
    }

    fn document_counts(&self) -> DocumentCounts {
        let live = self.files.iter().filter(|(file, _)| *file != 0).map(|(_, count)| *count as usize).sum();
        DocumentCounts { all: self.lengths.len(), live }
    }

    fn live(&self) -> Vec<bool> {
        let mut live = Vec::with_capacity(self.lengths.len());
        for &(file, count) in &self.files {
            live.resize(live.len() + count as usize, file != 0);
        }
        live
    }

    fn delete(&mut self, deleted: &BTreeSet<i64>) -> bool {
        let mut changed = false;
        for (file, _) in self.files.iter_mut().filter(|(file, _)| deleted.contains(&i64::from(*file))) {
            (*file, changed) = (0, true);
        }
        changed
    }

    fn append_live(&mut self, other: &Self) {
        let mut start = 0;
        for &(file, count) in &other.files {
            let end = start + count as usize;
            if file != 0 {
                self.files.push((file, count));
                self.lengths.extend_from_slice(&other.lengths[start..end]);
            }
            start = end;
        }
    }
}
