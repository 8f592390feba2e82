//! Trigrams: those of a text, those a pattern requires, and the evaluation of such queries.

mod case_folding;
mod evaluate;
mod extract;
mod pattern;
mod required_trigrams;
mod string_set;
mod trigram_postings;
mod trigram_query;

pub use evaluate::{DocumentSet, PostingSource, evaluate, matches};
pub use extract::{TrigramExtractor, Trigrams};
pub use pattern::{PatternSyntax, required_trigrams};
pub use trigram_postings::TrigramPostings;
pub use trigram_query::TrigramQuery;
