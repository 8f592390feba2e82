//! The posting lists of trigrams: a document is a file, and a posting says nothing besides it.

use super::extract::Trigrams;
use crate::postings::{PackedPosting, PostingKind};

/// Posting lists whose keys are trigrams.
#[derive(Clone, Copy, Debug)]
pub struct TrigramPostings;

/// The low two bytes of a trigram and sixteen bits of a document.
#[derive(Clone, Copy, Debug, Default)]
pub struct PackedTrigram(u32);

impl PackedPosting for PackedTrigram {
    type Payload = ();

    #[inline]
    fn pack(key: u32, document: u32, (): ()) -> Self {
        Self(key << 16 | document)
    }

    #[inline]
    fn key(self) -> u32 {
        self.0 >> 16
    }

    #[inline]
    fn posting(self) -> (u32, ()) {
        (self.0 & 0xffff, ())
    }
}

impl PostingKind for TrigramPostings {
    type Packed = PackedTrigram;
    type Payload = ();
    type Source = Trigrams;

    const KEY_BYTES: u32 = 3;
    /// Small compared with a database page, large compared with the overhead of a row.
    const BLOCK_BYTES: usize = 1000;
    const MAX_DOCUMENTS: u32 = 1 << 16;
    /// 32 MB, at worst twice that while a bucket grows. Larger segments compress little better.
    const MAX_POSTINGS: usize = 8 << 20;

    fn documents(_: &Trigrams) -> u32 {
        1
    }

    #[inline]
    fn for_each_posting(trigrams: &Trigrams, mut see: impl FnMut(u32, u32, ())) {
        for &trigram in &trigrams.0 {
            see(trigram, 0, ());
        }
    }
}
