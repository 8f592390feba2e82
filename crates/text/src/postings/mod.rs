//! Posting lists: for each key the documents that contain it. One implementation serves both kinds of keys: the trigrams
//! of files and the terms of chunks.
//!
//! Layers, from the bottom: variable-length integers and Golomb–Rice codes; blocks of posting lists; segments, which
//! are immutable sets of blocks over many documents; and the merge of segments, which drops deleted documents.

mod golomb_rice;
mod posting_block;
mod posting_kind;
mod segment_builder;
mod segment_merge;
mod varint;

pub(crate) use posting_block::{EncodedList, OwnedPostingList};
pub use posting_block::{PostingBlockReader, PostingList};
pub use posting_kind::{PackedPosting, Payload, PostingKind};
pub use segment_builder::{Block, SegmentBuilder};
pub use segment_merge::merge_segments;
pub(crate) use varint::{put_varint, take_varint};
