//! Trigrams: those of a text, those a pattern cannot do without, and lists of the texts that hold them. Terms: the words
//! of texts, and lists of the units that hold them.
//!
//! Trigrams err on one side only. A text that matches a pattern always has the trigrams the pattern asks for;
//! one that has them need not match. Knows no files, no SQL and no index: lists come from whoever keeps them.

mod error;
mod postings;
mod terms;
mod trigrams;

pub use error::TextError;
pub use terms::{
    Field, Mark, Posting, TERMS_VERSION, TermBlockReader, TermList, TermSegment, Terms, TermsBuilder,
    for_each_identifier, for_each_term, for_each_word, plain_words, term_number,
};
pub use trigrams::{
    Block, BlockReader, Dialect, Extractor, Grams, List, Lists, Query, SegmentBuilder, Slots, admits, find,
    merge, required,
};
