//! Builds a segment: inverts the keys of many documents to one posting list per key.
//!
//! Documents are numbered in the order they arrive. Postings are distributed over 256 buckets by the high byte of their key.
//! A stable radix sort by the remaining bytes then orders each bucket; since documents arrive in ascending order, the
//! documents of each key stay in ascending order.

use super::posting_block::PostingBlockWriter;
use super::posting_kind::{PackedPosting, PostingKind};

/// Posting lists of consecutive keys: the first key, and the encoded lists.
pub type Block = (u32, Vec<u8>);

/// Collects the postings of documents.
pub struct SegmentBuilder<K: PostingKind> {
    buckets: Vec<Vec<K::Packed>>,
    postings: usize,
    documents: u32,
}

impl<K: PostingKind> Default for SegmentBuilder<K> {
    fn default() -> Self {
        Self { buckets: vec![Vec::new(); 256], postings: 0, documents: 0 }
    }
}

impl<K: PostingKind> SegmentBuilder<K> {
    /// Adds the documents of a file; they get the next numbers.
    pub fn push(&mut self, source: &K::Source) {
        let high_shift = 8 * (K::KEY_BYTES - 1);
        let first = self.documents;
        K::for_each_posting(source, |key, document, payload| {
            let low = key & !(u32::MAX << high_shift);
            let bucket = (key >> high_shift) as usize & 0xff;
            self.buckets[bucket].push(PackedPosting::pack(low, first + document, payload));
            self.postings += 1;
        });
        self.documents += K::documents(source);
    }

    /// Whether no further document should be added.
    pub fn is_full(&self) -> bool {
        self.documents >= K::MAX_DOCUMENTS || self.postings >= K::MAX_POSTINGS
    }

    /// Passes the blocks to `see`, in ascending order of their keys, and empties the builder.
    pub fn finish<E>(&mut self, mut see: impl FnMut(Block) -> Result<(), E>) -> Result<(), E> {
        let mut writer = PostingBlockWriter::<K>::new(self.documents);
        let mut scratch = Vec::new();
        for (high, bucket) in (0_u32..).zip(&mut self.buckets) {
            sort_by_key(bucket, &mut scratch, K::KEY_BYTES - 1);
            for list in bucket.chunk_by(|a, b| a.key() == b.key()) {
                let key = high << (8 * (K::KEY_BYTES - 1)) | list[0].key();
                if let Some(block) = writer.push(key, list.iter().map(|packed| packed.posting())) {
                    see(block)?;
                }
            }
            bucket.clear();
        }
        (self.postings, self.documents) = (0, 0);
        writer.finish().map_or(Ok(()), see)
    }
}

/// Sorts by key: a radix sort, least significant byte first, which keeps the order of postings with equal keys.
fn sort_by_key<P: PackedPosting>(bucket: &mut Vec<P>, scratch: &mut Vec<P>, key_bytes: u32) {
    scratch.resize(bucket.len(), P::default());
    for byte in 0..key_bytes {
        let digit = |posting: P| (posting.key() >> (8 * byte)) as usize & 0xff;
        let mut next = [0_usize; 256];
        for &posting in bucket.iter() {
            next[digit(posting)] += 1;
        }
        let mut sum = 0;
        for start in &mut next {
            sum += std::mem::replace(start, sum);
        }
        for &posting in bucket.iter() {
            let at = &mut next[digit(posting)];
            scratch[*at] = posting;
            *at += 1;
        }
        std::mem::swap(bucket, scratch);
    }
}
