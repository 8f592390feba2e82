//! The trigrams of many texts turned around: for each trigram the places of the texts that hold it.
//!
//! Texts come one after another and are given places in that order. Pairs of trigram and place are strewn over buckets
//! by the first byte of the trigram; sorting a bucket then needs four bytes for a pair and one pass to count.

use super::block::{BlockReader, BlockWriter};
use super::extract::Grams;
use crate::error::TextError;
use std::collections::BTreeMap;

/// The most texts of one segment: places have sixteen bits.
const MOST_TEXTS: u32 = 1 << 16;
/// The most pairs of one segment: 32 MB, twice that at worst while a bucket grows. Larger segments pack a little
/// better and are looked up less often.
const MOST_PAIRS: usize = 8 << 20;

/// Lists of consecutive trigrams, and the first of these.
pub type Block = (u32, Vec<u8>);

/// Collects the trigrams of texts.
pub struct SegmentBuilder {
    buckets: Vec<Vec<u32>>,
    pairs: usize,
    texts: u32,
}

impl Default for SegmentBuilder {
    fn default() -> Self {
        Self { buckets: vec![Vec::new(); 256], pairs: 0, texts: 0 }
    }
}

impl SegmentBuilder {
    /// Adds a text; its place is the number of texts before it.
    pub fn push(&mut self, grams: &Grams) {
        for &gram in &grams.0 {
            self.buckets[gram as usize >> 16 & 0xff].push((gram & 0xffff) << 16 | self.texts);
        }
        self.pairs += grams.0.len();
        self.texts += 1;
    }

    /// How many texts there are.
    pub fn texts(&self) -> u32 {
        self.texts
    }

    /// Whether no further text should be added.
    pub fn is_full(&self) -> bool {
        self.texts >= MOST_TEXTS || self.pairs >= MOST_PAIRS
    }

    /// Gives the blocks of all lists to `see`, in the order of their trigrams, and starts anew.
    pub fn finish<E>(&mut self, mut see: impl FnMut(Block) -> Result<(), E>) -> Result<(), E> {
        let mut writer = BlockWriter::new(self.texts);
        let (mut ends, mut slots) = (vec![0_u32; 1 << 16], Vec::new());
        for (first, bucket) in (0_u32..).zip(&mut self.buckets) {
            if bucket.is_empty() {
                continue;
            }
            sort(bucket, &mut ends, &mut slots);
            let mut start = 0;
            for (low, &end) in (0_u32..).zip(&ends) {
                let list = &slots[start..end as usize];
                start = end as usize;
                if !list.is_empty()
                    && let Some(block) = writer.push(first << 16 | low, list)
                {
                    see(block)?;
                }
            }
            bucket.clear();
        }
        (self.pairs, self.texts) = (0, 0);
        writer.finish().map_or(Ok(()), see)
    }
}

/// Places by the low part of their trigrams: `ends` is where the list of each ends. Places came in order and stay so.
fn sort(bucket: &[u32], ends: &mut [u32], slots: &mut Vec<u32>) {
    ends.fill(0);
    for &pair in bucket {
        ends[pair as usize >> 16] += 1;
    }
    let mut sum = 0;
    for end in ends.iter_mut() {
        // For now where the list starts; it moves to the end as the list is filled.
        sum += std::mem::replace(end, sum);
    }
    slots.resize(bucket.len(), 0);
    for &pair in bucket {
        let at = &mut ends[pair as usize >> 16];
        slots[*at as usize] = pair & 0xffff;
        *at += 1;
    }
}

/// What one segment brings to a merged one.
struct Side<B> {
    blocks: B,
    texts: u32,
    /// The new place of each old one; none for texts that are gone.
    places: Vec<Option<u32>>,
    lists: std::collections::VecDeque<(u32, Vec<u32>)>,
}

/// Merges segments into one, without the texts that are gone. Each comes as its blocks in order and, for each of its
/// places, whether the text there is kept. The kept ones get places in the order of segments and places.
pub fn merge<B, E>(
    segments: Vec<(B, Vec<bool>)>,
    mut see: impl FnMut(Block) -> Result<(), E>,
) -> Result<u32, E>
where
    B: FnMut() -> Result<Option<Block>, E>,
    E: From<TextError>,
{
    let mut texts = 0;
    let mut sides = Vec::new();
    for (blocks, kept) in segments {
        let place = |kept: &bool| {
            kept.then(|| {
                texts += 1;
                texts - 1
            })
        };
        let (count, places) = (kept.len() as u32, kept.iter().map(place).collect());
        sides.push(Side { blocks, texts: count, places, lists: std::collections::VecDeque::new() });
    }
    let mut writer = BlockWriter::new(texts);
    let mut next: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, side) in sides.iter_mut().enumerate() {
        if let Some(gram) = side.fill()? {
            next.entry(gram).or_default().push(at);
        }
    }
    while let Some((gram, who)) = next.pop_first() {
        let mut slots = Vec::new();
        for at in who {
            if let Some((_, list)) = sides[at].lists.pop_front() {
                slots.extend(list);
            }
            if let Some(gram) = sides[at].fill()? {
                next.entry(gram).or_default().push(at);
            }
        }
        // Sides joined the entry in any order; places must ascend.
        slots.sort_unstable();
        if !slots.is_empty()
            && let Some(block) = writer.push(gram, &slots)
        {
            see(block)?;
        }
    }
    writer.finish().map_or(Ok(()), see)?;
    Ok(texts)
}

impl<B> Side<B> {
    /// The next trigram, reading a block where there is none at hand.
    fn fill<E: From<TextError>>(&mut self) -> Result<Option<u32>, E>
    where
        B: FnMut() -> Result<Option<Block>, E>,
    {
        while self.lists.is_empty() {
            let Some((first, bytes)) = (self.blocks)()? else { return Ok(None) };
            for entry in BlockReader::new(first, &bytes, self.texts) {
                let (gram, list) = entry?;
                let mut slots = Vec::with_capacity(list.count as usize);
                for slot in list.slots() {
                    slots.extend(self.places[slot? as usize]);
                }
                self.lists.push_back((gram, slots));
            }
        }
        Ok(self.lists.front().map(|(gram, _)| *gram))
    }
}
