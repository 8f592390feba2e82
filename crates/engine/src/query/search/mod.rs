//! Ranked search: candidates from several channels, fused and ranked.
//!
//! The term channel (BM25) and the vector channel each propose their best chunks; the union is loaded and ranked. The
//! corpus of a generation is read once, brought forward by the change log, and shared by all snapshots.

mod candidate_pool;
mod channels;
mod chunk_cache;
mod chunk_loader;
mod closing_lines;
mod corpus;
mod corpus_cache;
mod hit;
mod joined_search;
mod mentions;
mod message_lookup;
mod name_cache;
mod retrieval;
mod search_query;
mod similar_code;
mod snippet;
mod spelling;
mod structural_similarity;

pub(crate) use corpus::Corpus;
pub(crate) use corpus_cache::CorpusCache;
pub use hit::{SameFileHit, SearchHit, SearchResults};
pub use joined_search::{JoinedHits, SearchedRoot, search_roots};
pub(crate) use name_cache::NameCache;
pub use retrieval::RetrievedCandidates;
pub use search_query::SearchQuery;
pub use similar_code::{SimilarHit, Similarity};
pub use snippet::{HitText, Snippet};
