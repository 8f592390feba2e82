//! Ranked search: the channels over one generation, and what they found in its order.
//!
//! Words and vectors each name their best chunks; the union is looked at closely and ranked. What a question needs of the
//! index as a whole is read once, brought to each generation by what changed, and shared by all snapshots of it.

mod candidate_pool;
mod channels;
mod chunk_cache;
mod chunk_loader;
mod corpus;
mod corpus_cache;
mod hit;
mod name_cache;
mod retrieval;
mod similar_code;
mod snippet;
mod spelling;
mod structural_similarity;

pub(crate) use corpus::Corpus;
pub(crate) use corpus_cache::Corpora;
pub use hit::{Found, OtherPlace, SearchHit, SearchQuery};
pub use retrieval::Gathered;
pub use similar_code::{Likeness, SimilarHit};
pub use snippet::{Excerpt, Shown};
