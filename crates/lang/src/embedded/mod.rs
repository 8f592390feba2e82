//! Languages embedded in files of another: finds them in the syntax tree, and merges their facts into those of the file.

mod delimited;
mod find;
mod merge;

pub(crate) use find::{EmbeddedText, find};
pub(crate) use merge::Merger;
