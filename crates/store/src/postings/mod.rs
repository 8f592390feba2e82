//! Posting lists in the index: the segments that trigrams and terms share, and what differs between the two.

pub(crate) mod error;
pub(crate) mod segments;
pub(crate) mod terms;
pub(crate) mod trigrams;
