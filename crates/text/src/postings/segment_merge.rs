//! Merges segments into one without deleted documents: a k-way merge of their blocks by key.
//!
//! Example: segment A has documents 0 to 2 of which 1 is deleted, segment B has documents 0 and 1. The merged segment numbers
//! the live documents in order: A's 0 and 2 become 0 and 1, B's 0 and 1 become 2 and 3. Key `k` in A's {1, 2} and in B's {0}
//! is in {1, 2} of the merged segment; a key that only A's document 1 has is dropped.

use super::posting_block::{PostingBlockReader, PostingBlockWriter};
use super::posting_kind::{Payload, PostingKind};
use super::segment_builder::Block;
use crate::error::TextError;
use std::collections::{BTreeMap, VecDeque};

/// A segment that is being merged.
struct Input<B, P> {
    blocks: B,
    /// The new number of each document; `None` for deleted ones.
    renumbered: Vec<Option<u32>>,
    /// The decoded lists of the block at hand.
    lists: VecDeque<(u32, Vec<(u32, P)>)>,
}

/// Merges segments. Each is given as a function that returns its blocks in order, and a flag for each of its documents:
/// whether the document is live. Passes the blocks of the merged segment to `see` and returns its
/// number of documents.
pub fn merge_segments<K, B, E>(
    segments: Vec<(B, Vec<bool>)>,
    mut see: impl FnMut(Block) -> Result<(), E>,
) -> Result<u32, E>
where
    K: PostingKind,
    B: FnMut() -> Result<Option<Block>, E>,
    E: From<TextError>,
{
    let mut documents = 0;
    let mut number = |live: bool| {
        let number = live.then_some(documents);
        documents += u32::from(live);
        number
    };
    let mut inputs: Vec<Input<B, K::Payload>> = Vec::with_capacity(segments.len());
    for (blocks, live) in segments {
        let renumbered = live.into_iter().map(&mut number).collect();
        inputs.push(Input { blocks, renumbered, lists: VecDeque::new() });
    }
    let mut writer = PostingBlockWriter::<K>::new(documents);
    // Which inputs continue with which key.
    let mut queue: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, input) in inputs.iter_mut().enumerate() {
        if let Some(key) = input.next_key::<E>()? {
            queue.entry(key).or_default().push(at);
        }
    }
    let mut postings = Vec::new();
    while let Some((key, mut having)) = queue.pop_first() {
        // Documents are numbered by input, so in this order they ascend.
        having.sort_unstable();
        postings.clear();
        for at in having {
            postings.extend(inputs[at].lists.pop_front().into_iter().flat_map(|(_, list)| list));
            if let Some(key) = inputs[at].next_key::<E>()? {
                queue.entry(key).or_default().push(at);
            }
        }
        if !postings.is_empty()
            && let Some(block) = writer.push(key, postings.iter().copied())
        {
            see(block)?;
        }
    }
    writer.finish().map_or(Ok(()), see)?;
    Ok(documents)
}

impl<B, P: Payload> Input<B, P> {
    /// The next key. Reads the next block if the lists at hand are used up.
    fn next_key<E>(&mut self) -> Result<Option<u32>, E>
    where
        B: FnMut() -> Result<Option<Block>, E>,
        E: From<TextError>,
    {
        while self.lists.is_empty() {
            let Some((first, bytes)) = (self.blocks)()? else { return Ok(None) };
            for entry in PostingBlockReader::<P>::new(first, &bytes, self.renumbered.len() as u32) {
                let (key, list) = entry?;
                let mut live = Vec::new();
                list.for_each(|document, payload| {
                    live.extend(self.renumbered[document as usize].map(|number| (number, payload)));
                })?;
                self.lists.push_back((key, live));
            }
        }
        Ok(self.lists.front().map(|(key, _)| *key))
    }
}
