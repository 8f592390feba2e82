//! Lists of places, a few to a block: what is kept of the trigrams of many texts.

use crate::error::TextError;
use crate::postings::golomb_rice::{Ascending, put_ascending, put_number, take_number};

/// Blocks end at about this size: small beside a page of a database, large beside what is kept for each.
const BLOCK: usize = 1000;

/// The places of one trigram, as they are kept.
#[derive(Clone, Copy, Debug)]
pub struct List<'b> {
    /// How many places there are.
    pub count: u32,
    /// The place, where there is only one: half of all lists are such, and they are written as that number.
    only: Option<u32>,
    bytes: &'b [u8],
    bound: u32,
}

impl<'b> List<'b> {
    /// The places, ascending.
    pub fn slots(self) -> impl Iterator<Item = Result<u32, TextError>> + use<'b> {
        let several = if self.only.is_some() { 0 } else { self.count };
        self.only.into_iter().map(Ok).chain(Ascending::new(self.bytes, several, self.bound))
    }
}

/// A list that outlives the block it was read from.
#[derive(Clone, Debug)]
pub(crate) struct KeptList {
    count: u32,
    only: Option<u32>,
    bytes: Vec<u8>,
    bound: u32,
}

impl From<List<'_>> for KeptList {
    fn from(List { count, only, bytes, bound }: List<'_>) -> Self {
        Self { count, only, bytes: bytes.to_vec(), bound }
    }
}

impl KeptList {
    pub(crate) fn as_list(&self) -> List<'_> {
        List { count: self.count, only: self.only, bytes: &self.bytes, bound: self.bound }
    }
}

/// Puts lists into blocks, in the order of their trigrams.
pub(crate) struct BlockWriter {
    bound: u32,
    first: u32,
    last: u32,
    bytes: Vec<u8>,
    list: Vec<u8>,
}

impl BlockWriter {
    /// For places below `bound`.
    pub(crate) fn new(bound: u32) -> Self {
        Self { bound, first: 0, last: 0, bytes: Vec::with_capacity(2 * BLOCK), list: Vec::new() }
    }

    /// Adds a list; gives back a block that is full, with its first trigram.
    pub(crate) fn push(&mut self, gram: u32, slots: &[u32]) -> Option<(u32, Vec<u8>)> {
        self.list.clear();
        if let [only] = slots {
            put_number(&mut self.list, only << 1 | 1);
        } else {
            put_ascending(&mut self.list, slots, self.bound);
        }
        let full = (!self.bytes.is_empty() && self.bytes.len() + self.list.len() > BLOCK)
            .then(|| self.finish())
            .flatten();
        if self.bytes.is_empty() {
            (self.first, self.last) = (gram, gram);
        }
        put_number(&mut self.bytes, gram - self.last);
        if slots.len() != 1 {
            put_number(&mut self.bytes, (slots.len() as u32) << 1);
            put_number(&mut self.bytes, self.list.len() as u32);
        }
        self.bytes.extend_from_slice(&self.list);
        self.last = gram;
        full
    }

    /// The block at hand, if there is anything in it.
    pub(crate) fn finish(&mut self) -> Option<(u32, Vec<u8>)> {
        if self.bytes.is_empty() {
            return None;
        }
        let bytes = self.bytes.as_slice().to_vec();
        self.bytes.clear();
        Some((self.first, bytes))
    }
}

/// Reads the lists of a block, in the order of their trigrams.
pub struct BlockReader<'b> {
    bytes: &'b [u8],
    gram: u32,
    bound: u32,
}

impl<'b> BlockReader<'b> {
    /// A block of places below `bound` that starts with a trigram.
    pub fn new(first: u32, bytes: &'b [u8], bound: u32) -> Self {
        Self { bytes, gram: first, bound }
    }

    /// The list of one trigram, if the block has it.
    pub fn find(self, gram: u32) -> Result<Option<List<'b>>, TextError> {
        for entry in self {
            let (at, list) = entry?;
            if at >= gram {
                return Ok((at == gram).then_some(list));
            }
        }
        Ok(None)
    }

    fn take(&mut self) -> Result<(u32, List<'b>), TextError> {
        let more = take_number(&mut self.bytes)?;
        self.gram = self.gram.checked_add(more).ok_or(TextError("not a trigram"))?;
        let (bound, head) = (self.bound, take_number(&mut self.bytes)?);
        let number = head >> 1;
        if head & 1 == 1 {
            let only =
                Some(number).filter(|&slot| slot < bound).ok_or(TextError("a number is out of bounds"))?;
            return Ok((self.gram, List { count: 1, only: Some(only), bytes: &[], bound }));
        }
        let length = take_number(&mut self.bytes)? as usize;
        let bytes = self.bytes.split_off(..length).ok_or(TextError("it ends early"))?;
        Ok((self.gram, List { count: number, only: None, bytes, bound }))
    }
}

impl<'b> Iterator for BlockReader<'b> {
    type Item = Result<(u32, List<'b>), TextError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.is_empty() {
            return None;
        }
        let taken = self.take();
        if taken.is_err() {
            self.bytes = &[];
        }
        Some(taken)
    }
}
