//! The terms of one file, chunk by chunk.

use super::term_postings::{Field, TermOccurrence};
use super::tokenizer::{for_each_term, term_hash};
use crate::TextError;
use crate::postings::{EncodedList, PostingBlockReader, put_varint, take_varint};

/// A term in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TermPosting {
    /// The hash of the term.
    pub term: u32,
    /// The number of the chunk in its file.
    pub chunk: u32,
    /// How the term occurs in it.
    pub occurrence: TermOccurrence,
}

/// The terms of all chunks of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChunkTerms {
    /// The length of each chunk: the number of terms of its text.
    pub lengths: Vec<u16>,
    /// One posting for each pair of term and chunk. The chunks of each term are in ascending order.
    pub postings: Vec<TermPosting>,
}

/// Collects the terms of chunks, one chunk after the other.
#[derive(Debug, Default)]
pub struct ChunkTermsBuilder {
    terms: ChunkTerms,
    current: Vec<TermPosting>,
    /// An open-addressing hash table over the current chunk: from a term to the index of its posting plus one.
    table: Vec<u32>,
}

impl ChunkTermsBuilder {
    /// Adds the text of a field of the current chunk.
    pub fn field(&mut self, field: Field, text: &[u8]) {
        for_each_term(text, |term, _| self.in_field(field, &[term_hash(term)]));
    }

    /// Adds terms of a field of the current chunk.
    #[inline]
    pub fn in_field(&mut self, field: Field, terms: &[u32]) {
        for &term in terms {
            self.posting(term).occurrence.0 |= field as u8;
        }
    }

    /// Adds the text of the current chunk; returns its number of terms.
    pub fn text(&mut self, text: &[u8]) -> u16 {
        let mut length = 0_u16;
        for_each_term(text, |term, _| {
            self.in_text(&[term_hash(term)]);
            length = length.saturating_add(1);
        });
        length
    }

    /// Adds terms of the text of the current chunk.
    #[inline]
    pub fn in_text(&mut self, terms: &[u32]) {
        for &term in terms {
            let posting = self.posting(term);
            posting.occurrence = posting.occurrence.incremented();
        }
    }

    /// Ends the current chunk.
    pub fn end(&mut self, length: u16) {
        let number = self.terms.lengths.len() as u32;
        for posting in &mut self.current {
            posting.chunk = number;
        }
        self.terms.postings.append(&mut self.current);
        self.table.fill(0);
        self.terms.lengths.push(length);
    }

    /// The terms of all chunks.
    pub fn finish(self) -> ChunkTerms {
        self.terms
    }

    fn posting(&mut self, term: u32) -> &mut TermPosting {
        if self.current.len() * 2 >= self.table.len() {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut at = term as usize & mask;
        loop {
            match self.table[at] {
                0 => {
                    self.current.push(TermPosting { term, chunk: 0, occurrence: TermOccurrence(0) });
                    self.table[at] = self.current.len() as u32;
                    break;
                }
                index if self.current[index as usize - 1].term == term => break,
                _ => at = (at + 1) & mask,
            }
        }
        let index = self.table[at] as usize - 1;
        &mut self.current[index]
    }

    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(256);
        self.table.clear();
        self.table.resize(size, 0);
        for (index, posting) in (1..).zip(&self.current) {
            let mut at = posting.term as usize & (size - 1);
            while self.table[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.table[at] = index;
        }
    }
}

impl ChunkTerms {
    /// Encodes the terms: the number of chunks, their lengths as varints, and the entries of one posting block.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_varint(&mut bytes, self.lengths.len() as u32);
        for &length in &self.lengths {
            put_varint(&mut bytes, length.into());
        }
        let mut last = 0;
        let mut postings = self.postings.clone();
        postings.sort_unstable();
        let mut encoded = EncodedList::default();
        for list in postings.chunk_by(|a, b| a.term == b.term) {
            let chunks = list.iter().map(|posting| (posting.chunk, posting.occurrence));
            encoded.encode(chunks, self.lengths.len() as u32);
            encoded.append_to(&mut bytes, list[0].term - last);
            last = list[0].term;
        }
        bytes
    }

    /// The lengths of the chunks of encoded terms, and the bytes of their posting block.
    pub fn split(mut bytes: &[u8]) -> Result<(Vec<u16>, &[u8]), TextError> {
        let count = take_varint(&mut bytes)?;
        if count as usize > bytes.len() {
            return Err(TextError::TRUNCATED);
        }
        let mut lengths = Vec::with_capacity(count as usize);
        for _ in 0..count {
            lengths.push(u16::try_from(take_varint(&mut bytes)?).map_err(|_| TextError::OUT_OF_BOUNDS)?);
        }
        Ok((lengths, bytes))
    }

    /// Decodes what [`encode`](Self::encode) wrote.
    pub fn decode(bytes: &[u8]) -> Result<Self, TextError> {
        let (lengths, lists) = Self::split(bytes)?;
        let mut postings = Vec::new();
        for list in PostingBlockReader::new(0, lists, lengths.len() as u32) {
            let (term, list) = list?;
            list.for_each(|chunk, occurrence| postings.push(TermPosting { term, chunk, occurrence }))?;
        }
        Ok(Self { lengths, postings })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_and_frequency_share_one_occurrence() {
        let mut builder = ChunkTermsBuilder::default();
        builder.field(Field::Name, b"readAll");
        let length = builder.text(b"fn readAll() { read(); read() }");
        builder.end(length);
        let terms = builder.finish();
        let occurrence = |word: &[u8]| {
            terms.postings.iter().find(|one| one.term == term_hash(word)).map(|one| one.occurrence)
        };
        assert_eq!(occurrence(b"read"), Some(TermOccurrence(0x83)));
        assert_eq!(occurrence(b"readall"), Some(TermOccurrence(0x81)));
        assert_eq!(occurrence(b"fn"), Some(TermOccurrence(0x01)));
        assert_eq!(terms.lengths, [6]);
    }

    proptest! {
        #[test]
        fn encoded_terms_round_trip(texts in prop::collection::vec("[a-cA-C_ ]{0,40}", 0..6)) {
            let mut builder = ChunkTermsBuilder::default();
            for text in &texts {
                builder.field(Field::Path, b"src/main");
                let length = builder.text(text.as_bytes());
                builder.end(length);
            }
            let mut terms = builder.finish();
            let read = ChunkTerms::decode(&terms.encode());
            terms.postings.sort_unstable();
            prop_assert_eq!(read, Ok(terms));
        }
    }
}
