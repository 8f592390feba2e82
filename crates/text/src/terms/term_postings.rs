//! The posting lists of terms: a document is a chunk, and a posting says in which fields the term occurs and how often.
//!
//! The payloads of a list are dictionary-coded. Each takes two bits: one of three common values, or an escape whose value
//! follows in a byte. Example: the occurrences 1, 1, `0x81`, 2 have the codes 0, 0, 3 and 1, which fill one byte from the
//! lowest bits, `0b01_11_00_00`, and one escaped value, `0x81`.

use super::chunk_terms::ChunkTerms;
use crate::error::TextError;
use crate::postings::{PackedPosting, Payload, PostingKind};

/// A field of a chunk, besides its text, in which a term can occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Field {
    /// The name of a symbol that the chunk defines.
    Name = 0x80,
    /// The signature of what it defines, and the names of its containers.
    Header = 0x40,
    /// The path of its file.
    Path = 0x20,
    /// The documentation of what it defines.
    Doc = 0x10,
}

/// How a term occurs in a chunk: a bit for each [`Field`], and the term frequency in the text in the low four bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TermOccurrence(pub u8);

impl TermOccurrence {
    const MAX_FREQUENCY: u8 = 0x0f;

    /// Whether the term occurs in a field.
    pub fn is_in(self, field: Field) -> bool {
        self.0 & field as u8 != 0
    }

    /// The term frequency in the text; 15 means 15 or more.
    pub fn frequency(self) -> u8 {
        self.0 & Self::MAX_FREQUENCY
    }

    /// The same with the frequency one higher.
    pub(super) fn incremented(self) -> Self {
        if self.frequency() == Self::MAX_FREQUENCY { self } else { Self(self.0 + 1) }
    }
}

/// The most common occurrences, which take two bits: once in the text, twice in the text, in the path only.
const COMMON: [u8; 3] = [0x01, 0x02, 0x20];
/// The code of any other occurrence.
const ESCAPE: u8 = 3;

/// The number of escapes among the four codes of a byte: a code is 3 if both of its bits are set.
fn escapes(codes: u8) -> usize {
    (codes & codes >> 1 & 0x55).count_ones() as usize
}

/// The encoded occurrences of a posting list.
pub struct OccurrenceColumn<'b> {
    codes: &'b [u8],
    escaped: std::slice::Iter<'b, u8>,
}

impl Payload for TermOccurrence {
    type Column<'b> = OccurrenceColumn<'b>;

    fn put_single(self, bytes: &mut Vec<u8>) {
        bytes.push(self.0);
    }

    fn take_single(bytes: &mut &[u8]) -> Result<Self, TextError> {
        let (&byte, rest) = bytes.split_first().ok_or(TextError::TRUNCATED)?;
        *bytes = rest;
        Ok(Self(byte))
    }

    fn put_column(payloads: impl ExactSizeIterator<Item = Self> + Clone, bytes: &mut Vec<u8>) {
        let codes_at = bytes.len();
        bytes.resize(codes_at + payloads.len().div_ceil(4), 0);
        for (at, occurrence) in payloads.enumerate() {
            let common = COMMON.iter().position(|&common| common == occurrence.0);
            let code = common.map_or(ESCAPE, |code| code as u8);
            bytes[codes_at + at / 4] |= code << (at % 4 * 2);
            if code == ESCAPE {
                bytes.push(occurrence.0);
            }
        }
    }

    fn take_column<'b>(bytes: &mut &'b [u8], count: u32) -> Result<OccurrenceColumn<'b>, TextError> {
        let codes = bytes.split_off(..(count as usize).div_ceil(4)).ok_or(TextError::TRUNCATED)?;
        // The unused codes of the last byte are 0, which is not an escape.
        let escaped = codes.iter().map(|&byte| escapes(byte)).sum::<usize>();
        let escaped = bytes.split_off(..escaped).ok_or(TextError::TRUNCATED)?;
        Ok(OccurrenceColumn { codes, escaped: escaped.iter() })
    }

    #[inline]
    fn next(column: &mut OccurrenceColumn<'_>, index: u32) -> Result<Self, TextError> {
        let index = index as usize;
        match column.codes[index / 4] >> (index % 4 * 2) & 3 {
            ESCAPE => column.escaped.next().map(|&byte| Self(byte)).ok_or(TextError::TRUNCATED),
            code => Ok(Self(COMMON[code as usize])),
        }
    }
}

/// Posting lists whose keys are hashes of terms.
#[derive(Clone, Copy, Debug)]
pub struct TermPostings;

/// The low three bytes of a term's hash, 24 bits of a document, and the occurrence.
#[derive(Clone, Copy, Debug, Default)]
pub struct PackedTerm(u64);

impl PackedPosting for PackedTerm {
    type Payload = TermOccurrence;

    #[inline]
    fn pack(key: u32, document: u32, occurrence: TermOccurrence) -> Self {
        Self(u64::from(key) << 32 | u64::from(document) << 8 | u64::from(occurrence.0))
    }

    #[inline]
    fn key(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline]
    fn posting(self) -> (u32, TermOccurrence) {
        (self.0 as u32 >> 8, TermOccurrence(self.0 as u8))
    }
}

impl PostingKind for TermPostings {
    type Packed = PackedTerm;
    type Payload = TermOccurrence;
    type Source = ChunkTerms;

    const KEY_BYTES: u32 = 4;
    /// Several fit into a database page, so that little of it stays unused.
    const BLOCK_BYTES: usize = 500;
    /// Limits the length of the posting lists of common terms.
    const MAX_DOCUMENTS: u32 = 1 << 17;
    /// 24 MB.
    const MAX_POSTINGS: usize = 3 << 20;

    fn documents(terms: &ChunkTerms) -> u32 {
        terms.lengths.len() as u32
    }

    #[inline]
    fn for_each_posting(terms: &ChunkTerms, mut see: impl FnMut(u32, u32, TermOccurrence)) {
        for posting in &terms.postings {
            see(posting.term, posting.chunk, posting.occurrence);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_occurrences_take_two_bytes() {
        let mut bytes = Vec::new();
        TermOccurrence::put_column([1, 1, 0x81, 2].map(TermOccurrence).into_iter(), &mut bytes);
        assert_eq!(bytes, [0b0111_0000, 0x81]);
        let mut rest = bytes.as_slice();
        let mut column = TermOccurrence::take_column(&mut rest, 4).expect("it is complete");
        let read: Vec<u8> =
            (0..4).map(|at| TermOccurrence::next(&mut column, at).map_or(0, |one| one.0)).collect();
        assert_eq!((read, rest.len()), (vec![1, 1, 0x81, 2], 0));
    }
}
