//! The terms of many texts turned around: for each term the units that hold it.
//!
//! Postings are strewn over buckets by the first byte of their term; a bucket is then sorted on its own, in one word a
//! posting.

use super::block::{TermBlockReader, TermBlockWriter};
use super::chunk_terms::{Mark, Terms};
use crate::{Block, TextError};

/// The most units of one segment: places have 24 bits, and blocks of common terms should not grow without end.
const MOST_UNITS: u32 = 1 << 17;
/// The most postings of one segment: 24 MB.
const MOST_POSTINGS: usize = 3 << 20;

/// Collects the terms of texts.
pub struct TermSegment {
    buckets: Vec<Vec<u64>>,
    postings: usize,
    units: u32,
}

impl Default for TermSegment {
    fn default() -> Self {
        Self { buckets: vec![Vec::new(); 256], postings: 0, units: 0 }
    }
}

impl TermSegment {
    /// Adds a text; its units get the next places.
    pub fn push(&mut self, terms: &Terms) {
        for posting in &terms.postings {
            self.put(posting.term, self.units + posting.unit, posting.mark);
        }
        self.units += terms.lengths.len() as u32;
    }

    /// Adds the lists of a block of another segment, where `place` gives the new place of a unit; none leaves it out.
    pub fn push_block(
        &mut self,
        block: TermBlockReader<'_>,
        place: impl Fn(u32) -> Option<u32>,
    ) -> Result<(), TextError> {
        for entry in block {
            let (term, list) = entry?;
            list.each(|unit, mark| {
                if let Some(unit) = place(unit) {
                    self.put(term, unit, mark);
                }
            })?;
        }
        Ok(())
    }

    /// Makes room for units whose postings come with [`push_block`](Self::push_block); returns the first place.
    pub fn reserve(&mut self, units: u32) -> u32 {
        self.units += units;
        self.units - units
    }

    fn put(&mut self, term: u32, unit: u32, mark: Mark) {
        let word = u64::from(term & 0x00ff_ffff) << 32 | u64::from(unit) << 8 | u64::from(mark.0);
        self.buckets[term as usize >> 24].push(word);
        self.postings += 1;
    }

    /// Whether no further text should be added.
    pub fn is_full(&self) -> bool {
        self.units >= MOST_UNITS || self.postings >= MOST_POSTINGS
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.units == 0
    }

    /// Gives the blocks of all lists to `see`, in the order of their terms, and starts anew.
    pub fn finish<E>(&mut self, mut see: impl FnMut(Block) -> Result<(), E>) -> Result<(), E> {
        let mut writer = TermBlockWriter::new(self.units);
        for (first, bucket) in (0_u32..).zip(&mut self.buckets) {
            bucket.sort_unstable();
            for list in bucket.chunk_by(|a, b| a >> 32 == b >> 32) {
                let term = first << 24 | (list[0] >> 32) as u32;
                let pairs = list.iter().map(|&word| (word as u32 >> 8, Mark(word as u8)));
                if let Some(block) = writer.push(term, pairs) {
                    see(block)?;
                }
            }
            bucket.clear();
        }
        (self.postings, self.units) = (0, 0);
        writer.finish().map_or(Ok(()), see)
    }
}
