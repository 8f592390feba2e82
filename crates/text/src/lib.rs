//! The inverted indexes of text search: trigrams for patterns, terms for ranked search, and the posting lists of both.
//!
//! Trigrams give no false negatives: a text that matches a pattern contains all trigrams that the pattern requires. A text
//! that contains them need not match. This crate does not know files, SQL or the index; the caller stores the bytes.

mod error;
mod postings;
mod terms;
mod trigrams;

pub use error::TextError;
pub use postings::{
    Block, PackedPosting, Payload, PostingBlockReader, PostingKind, PostingList, SegmentBuilder,
    merge_segments,
};
pub use terms::{
    ChunkTerms, ChunkTermsBuilder, Field, TERMS_VERSION, TermOccurrence, TermPosting, TermPostings,
    for_each_identifier, for_each_term, for_each_word, plain_words, term_hash,
};
pub use trigrams::{
    DocumentSet, PatternSyntax, PostingSource, TrigramExtractor, TrigramPostings, TrigramQuery, Trigrams,
    evaluate, matches, required_trigrams,
};
