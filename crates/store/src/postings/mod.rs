//! Posting lists in the index: trigrams of files and terms of chunks.

pub(crate) mod error;
pub(crate) mod terms;
pub(crate) mod trigrams;
