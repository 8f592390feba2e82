//! Posting lists, delta-encoded by key and packed into blocks: the unit that a database row stores.
//!
//! A block is a sequence of entries in ascending order of their keys. Its first key is stored outside, as the key of the
//! row. An entry is
//!
//! ```text
//! varint   key minus the key before (0 for the first entry)
//! varint   head: document * 2 + 1 for a list of one posting, otherwise the number of postings * 2
//!          for one posting: its payload
//!          otherwise: varint, the length of the rest; payloads; documents in Golomb–Rice code
//! ```
//!
//! Example, without payloads, for documents below 32: key 70 in document 5, key 72 in documents 3, 4 and 19. The block is
//! stored under key 70 and has seven bytes: `00 0b` (gap 0; 5 * 2 + 1) and `02 06 02 c6 09` (gap 2; 3 * 2; two bytes; the
//! documents as in `golomb_rice.rs`). About half of all lists have one posting.

use super::golomb_rice::{Ascending, put_ascending};
use super::posting_kind::{Payload, PostingKind};
use super::segment_builder::Block;
use super::varint::{put_varint, take_varint};
use crate::error::TextError;
use std::marker::PhantomData;

/// An encoded posting list, without its key.
#[derive(Default)]
pub(crate) struct EncodedList {
    head: u32,
    body: Vec<u8>,
}

impl EncodedList {
    /// Encodes a list of documents below `bound`, in ascending order, in place of the list before.
    pub(crate) fn encode<P: Payload>(
        &mut self,
        postings: impl ExactSizeIterator<Item = (u32, P)> + Clone,
        bound: u32,
    ) {
        self.body.clear();
        self.head = (postings.len() as u32) << 1;
        if let (1, Some((document, payload))) = (postings.len(), postings.clone().next()) {
            self.head = document << 1 | 1;
            payload.put_single(&mut self.body);
        } else {
            P::put_column(postings.clone().map(|(_, payload)| payload), &mut self.body);
            put_ascending(&mut self.body, postings.map(|(document, _)| document), bound);
        }
    }

    /// Appends the list as an entry of a block.
    pub(crate) fn append_to(&self, bytes: &mut Vec<u8>, key_gap: u32) {
        put_varint(bytes, key_gap);
        put_varint(bytes, self.head);
        if self.head & 1 == 0 {
            put_varint(bytes, self.body.len() as u32);
        }
        bytes.extend_from_slice(&self.body);
    }
}

/// The posting list of one key, still encoded.
#[derive(Clone, Copy, Debug)]
pub struct PostingList<'b, P> {
    /// The number of postings.
    pub count: u32,
    /// The posting of a list that has only one.
    single: Option<(u32, P)>,
    bytes: &'b [u8],
    bound: u32,
}

impl<P: Payload> PostingList<'_, P> {
    /// Passes each posting to `see`, in ascending order of the documents.
    #[inline]
    pub fn for_each(self, mut see: impl FnMut(u32, P)) -> Result<(), TextError> {
        if let Some((document, payload)) = self.single {
            see(document, payload);
            return Ok(());
        }
        let mut bytes = self.bytes;
        let mut payloads = P::take_column(&mut bytes, self.count)?;
        let mut documents = Ascending::new(bytes, self.count, self.bound);
        for index in 0..self.count {
            let document = documents.number()?;
            see(document, P::next(&mut payloads, index)?);
        }
        Ok(())
    }

    /// The documents, in ascending order.
    pub fn documents(self) -> Result<Vec<u32>, TextError> {
        // A malformed count must not reserve memory.
        let mut documents = Vec::with_capacity(self.count.min(self.bound) as usize);
        self.for_each(|document, _| documents.push(document))?;
        Ok(documents)
    }
}

/// A posting list that outlives the block it was read from.
pub(crate) struct OwnedPostingList<P> {
    count: u32,
    single: Option<(u32, P)>,
    bytes: Vec<u8>,
    bound: u32,
}

impl<P> From<PostingList<'_, P>> for OwnedPostingList<P> {
    fn from(PostingList { count, single, bytes, bound }: PostingList<'_, P>) -> Self {
        Self { count, single, bytes: bytes.to_vec(), bound }
    }
}

impl<P: Copy> OwnedPostingList<P> {
    pub(crate) fn as_list(&self) -> PostingList<'_, P> {
        PostingList { count: self.count, single: self.single, bytes: &self.bytes, bound: self.bound }
    }
}

/// Packs posting lists into blocks, in ascending order of their keys.
pub(crate) struct PostingBlockWriter<K> {
    bound: u32,
    first: u32,
    last: u32,
    block: Vec<u8>,
    list: EncodedList,
    kind: PhantomData<K>,
}

impl<K: PostingKind> PostingBlockWriter<K> {
    /// A writer of documents below `bound`.
    pub(crate) fn new(bound: u32) -> Self {
        let block = Vec::with_capacity(2 * K::BLOCK_BYTES);
        Self { bound, first: 0, last: 0, block, list: EncodedList::default(), kind: PhantomData }
    }

    /// Adds a posting list. Returns the block before it if that is full.
    pub(crate) fn push(
        &mut self,
        key: u32,
        postings: impl ExactSizeIterator<Item = (u32, K::Payload)> + Clone,
    ) -> Option<Block> {
        self.list.encode(postings, self.bound);
        let is_full = self.block.len() + self.list.body.len() > K::BLOCK_BYTES;
        let full = if is_full { self.finish() } else { None };
        if self.block.is_empty() {
            (self.first, self.last) = (key, key);
        }
        self.list.append_to(&mut self.block, key - self.last);
        self.last = key;
        full
    }

    /// The last block, if it is not empty.
    pub(crate) fn finish(&mut self) -> Option<Block> {
        if self.block.is_empty() {
            return None;
        }
        let bytes = self.block.as_slice().to_vec();
        self.block.clear();
        Some((self.first, bytes))
    }
}

/// Reads the posting lists of a block, in ascending order of their keys.
#[derive(Clone)]
pub struct PostingBlockReader<'b, P> {
    bytes: &'b [u8],
    key: u32,
    bound: u32,
    payload: PhantomData<P>,
}

impl<'b, P: Payload> PostingBlockReader<'b, P> {
    /// A reader of a block of documents below `bound` that is stored under `first`.
    pub fn new(first: u32, bytes: &'b [u8], bound: u32) -> Self {
        Self { bytes, key: first, bound, payload: PhantomData }
    }

    /// The posting list of a key, if the block contains it.
    pub fn find(self, key: u32) -> Result<Option<PostingList<'b, P>>, TextError> {
        for entry in self {
            let (at, list) = entry?;
            if at >= key {
                return Ok((at == key).then_some(list));
            }
        }
        Ok(None)
    }

    /// A skip list over a long block: for every `interval`-th entry the key before it and its byte offset. A reader made from
    /// such a pair continues there.
    pub fn skips(mut self, interval: usize) -> Result<Vec<(u32, u32)>, TextError> {
        let length = self.bytes.len();
        let mut skips = Vec::new();
        while !self.bytes.is_empty() {
            skips.push((self.key, (length - self.bytes.len()) as u32));
            for _ in 0..interval.max(1) {
                self.next().transpose()?;
            }
        }
        Ok(skips)
    }

    fn take_entry(&mut self) -> Result<(u32, PostingList<'b, P>), TextError> {
        let gap = take_varint(&mut self.bytes)?;
        self.key = self.key.checked_add(gap).ok_or(TextError("a key is out of bounds"))?;
        let (bound, head) = (self.bound, take_varint(&mut self.bytes)?);
        let number = head >> 1;
        if head & 1 == 1 {
            if number >= bound {
                return Err(TextError::OUT_OF_BOUNDS);
            }
            let single = Some((number, P::take_single(&mut self.bytes)?));
            return Ok((self.key, PostingList { count: 1, single, bytes: &[], bound }));
        }
        let length = take_varint(&mut self.bytes)? as usize;
        let bytes = self.bytes.split_off(..length).ok_or(TextError::TRUNCATED)?;
        Ok((self.key, PostingList { count: number, single: None, bytes, bound }))
    }
}

impl<'b, P: Payload> Iterator for PostingBlockReader<'b, P> {
    type Item = Result<(u32, PostingList<'b, P>), TextError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.is_empty() {
            return None;
        }
        let entry = self.take_entry();
        if entry.is_err() {
            self.bytes = &[];
        }
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::{TermOccurrence, TermPostings};
    use crate::trigrams::TrigramPostings;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_documented_example_takes_seven_bytes() {
        let mut writer = PostingBlockWriter::<TrigramPostings>::new(32);
        assert_eq!(writer.push(70, [(5, ())].into_iter()), None);
        assert_eq!(writer.push(72, [3, 4, 19].into_iter().map(|document| (document, ()))), None);
        assert_eq!(writer.finish(), Some((70, vec![0, 0x0b, 2, 6, 2, 0xc6, 0x09])));
    }

    proptest! {
        #[test]
        fn malformed_bytes_give_documents_in_bounds_or_an_error(
            bytes in prop::collection::vec(any::<u8>(), 0..80),
        ) {
            for entry in PostingBlockReader::<TermOccurrence>::new(7, &bytes, 50) {
                let Ok((_, list)) = entry else { break };
                let _ = list.for_each(|document, _| assert!(document < 50));
            }
            for entry in PostingBlockReader::<()>::new(7, &bytes, 50) {
                let Ok((_, list)) = entry else { break };
                let _ = list.for_each(|document, ()| assert!(document < 50));
            }
        }

        #[test]
        fn every_list_is_found_by_its_key_with_and_without_skips(
            lists in prop::collection::btree_map(
                0_u32..1000,
                prop::collection::btree_map(0_u32..300, any::<u8>(), 1..20),
                1..200,
            ),
        ) {
            let mut writer = PostingBlockWriter::<TermPostings>::new(300);
            let mut blocks = Vec::new();
            for (&key, list) in &lists {
                let list = list.iter().map(|(&document, &flags)| (document, TermOccurrence(flags)));
                blocks.extend(writer.push(key, list.collect::<Vec<_>>().into_iter()));
            }
            blocks.extend(writer.finish());
            let reader = |block: usize| PostingBlockReader::new(blocks[block].0, &blocks[block].1, 300);
            let skips: Vec<Vec<(u32, u32)>> = (0..blocks.len())
                .map(|block| reader(block).skips(3).expect("a valid block"))
                .collect();
            for key in 0..1000 {
                let found = |reader: Option<PostingBlockReader<'_, TermOccurrence>>| {
                    let mut found = BTreeMap::new();
                    if let Some(list) = reader.and_then(|reader| reader.find(key).expect("a valid block")) {
                        list.for_each(|document, occurrence| {
                            found.insert(document, occurrence.0);
                        })
                        .expect("a valid list");
                    }
                    found
                };
                let block = blocks.iter().rposition(|(first, _)| *first <= key);
                let expected = lists.get(&key).cloned().unwrap_or_default();
                prop_assert_eq!(&found(block.map(reader)), &expected);
                let skipped = block.map(|block| {
                    let at = skips[block].partition_point(|skip| skip.0 < key).saturating_sub(1);
                    let (before, offset) = skips[block][at];
                    PostingBlockReader::new(before, &blocks[block].1[offset as usize..], 300)
                });
                prop_assert_eq!(found(skipped), expected);
            }
        }
    }
}
