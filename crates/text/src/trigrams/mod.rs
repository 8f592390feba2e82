//! Trigrams: those of a text, those a pattern requires, and posting lists of the texts that contain them.

mod block;
mod case_folding;
mod evaluate;
mod extract;
mod pattern;
mod required_trigrams;
mod segment;
mod string_set;
mod trigram_query;

pub use block::{BlockReader, List};
pub use evaluate::{Lists, Slots, admits, find};
pub use extract::{Extractor, Grams};
pub use pattern::{Dialect, required};
pub use segment::{Block, SegmentBuilder, merge};
pub use trigram_query::Query;
