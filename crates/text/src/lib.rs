//! Trigrams: those of a text, those a pattern cannot do without, and lists of the texts that hold them. Terms: the words
//! of texts, and lists of the units that hold them.
//!
//! Trigrams err on one side only. A text that matches a pattern always has the trigrams the pattern asks for;
//! one that has them need not match. Knows no files, no SQL and no index: lists come from whoever keeps them.

mod admit;
mod bits;
mod block;
mod error;
mod fold;
mod grams;
mod needs;
mod pattern;
mod query;
mod segment;
mod strings;
mod terms;

pub use admit::{Lists, Slots, admits, find};
pub use block::{BlockReader, List};
pub use error::TextError;
pub use grams::{Extractor, Grams};
pub use pattern::{Dialect, required};
pub use query::Query;
pub use segment::{Block, SegmentBuilder, merge};
pub use terms::{
    Field, Mark, Posting, TERMS_VERSION, TermBlockReader, TermList, TermSegment, Terms, TermsBuilder,
    for_each_identifier, for_each_term, for_each_word, plain_words, term_number,
};
