//! Terms: the normalised words of chunks. A term is identified by a 32-bit hash of its letters.

mod chunk_terms;
mod stemmer;
mod term_postings;
mod tokenizer;

pub use chunk_terms::{ChunkTerms, ChunkTermsBuilder, TermPosting};
pub use term_postings::{Field, TermOccurrence, TermPostings};
pub use tokenizer::{
    TERMS_VERSION, for_each_identifier, for_each_term, for_each_word, plain_words, term_hash,
};
