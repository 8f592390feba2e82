//! Terms: the words of texts, and for each word the units of text that hold it.
//!
//! A unit is a piece of text that is found on its own. A term is known by a number made of its letters; what it means in
//! a unit is a [`Mark`]: in which fields it stands, and how often in the text.

mod block;
mod chunk_terms;
mod segment;
mod stemmer;
mod tokenizer;

pub use block::{TermBlockReader, TermList};
pub use chunk_terms::{Field, Mark, Posting, Terms, TermsBuilder};
pub use segment::TermSegment;
pub use tokenizer::{
    TERMS_VERSION, for_each_identifier, for_each_term, for_each_word, plain_words, term_number,
};
