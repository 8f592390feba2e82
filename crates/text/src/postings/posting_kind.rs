//! What distinguishes posting lists of trigrams from those of terms: keys, payloads, limits.

use crate::error::TextError;

/// What a posting says besides its document: nothing for trigrams, fields and frequency for terms.
pub trait Payload: Copy {
    /// The payloads of a list while it is decoded.
    type Column<'b>;

    /// Appends the payload of a list with one posting.
    fn put_single(self, bytes: &mut Vec<u8>);

    /// Removes the payload of a list with one posting from the front of `bytes`.
    fn take_single(bytes: &mut &[u8]) -> Result<Self, TextError>;

    /// Appends the payloads of a longer list.
    fn put_column(payloads: impl ExactSizeIterator<Item = Self> + Clone, bytes: &mut Vec<u8>);

    /// Removes the payloads of a list of `count` postings from the front of `bytes`.
    fn take_column<'b>(bytes: &mut &'b [u8], count: u32) -> Result<Self::Column<'b>, TextError>;

    /// The payload at an index. Called once for each index, in ascending order.
    fn next(column: &mut Self::Column<'_>, index: u32) -> Result<Self, TextError>;
}

impl Payload for () {
    type Column<'b> = ();

    fn put_single(self, _: &mut Vec<u8>) {}

    fn take_single(_: &mut &[u8]) -> Result<Self, TextError> {
        Ok(())
    }

    fn put_column(_: impl ExactSizeIterator<Item = Self> + Clone, _: &mut Vec<u8>) {}

    fn take_column<'b>(_: &mut &'b [u8], _: u32) -> Result<Self::Column<'b>, TextError> {
        Ok(())
    }

    fn next((): &mut Self::Column<'_>, _: u32) -> Result<Self, TextError> {
        Ok(())
    }
}

/// A posting in one machine word, without the high byte of its key.
pub trait PackedPosting: Copy + Default {
    /// What it says besides its document.
    type Payload: Payload;

    /// Packs a posting; `key` is the key without its high byte.
    fn pack(key: u32, document: u32, payload: Self::Payload) -> Self;

    /// The key without its high byte.
    fn key(self) -> u32;

    /// The document and the payload.
    fn posting(self) -> (u32, Self::Payload);
}

/// A kind of posting list.
pub trait PostingKind {
    /// A posting while a segment is built.
    type Packed: PackedPosting<Payload = Self::Payload>;
    /// What a posting says besides its document.
    type Payload: Payload;
    /// What one file contributes to a segment.
    type Source;

    /// The size of a key in bytes.
    const KEY_BYTES: u32;
    /// The size at which a block is full.
    const BLOCK_BYTES: usize;
    /// The maximum number of documents of a segment. [`Self::Packed`] must have room for it.
    const MAX_DOCUMENTS: u32;
    /// The maximum number of postings of a segment, which limits the memory to build one.
    const MAX_POSTINGS: usize;

    /// The number of documents in a source.
    fn documents(source: &Self::Source) -> u32;

    /// Passes each posting of a source to `see`: key, document within the source, payload. The documents of each key are in
    /// ascending order.
    fn for_each_posting(source: &Self::Source, see: impl FnMut(u32, u32, Self::Payload));
}
