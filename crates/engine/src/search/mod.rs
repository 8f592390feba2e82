//! Ranked search: the channels over one generation, and what they found in its order.
//!
//! Words and vectors each name their best chunks; the union is looked at closely and ranked. What a question needs of the
//! index as a whole is read once, brought to each generation by what changed, and shared by all snapshots of it.

mod channels;
mod closer;
mod corpora;
mod corpus;
mod excerpt;
mod fuzzy;
mod gather;
mod hit;
mod looks;
mod names;
mod pool;
mod shape;
mod similar;

pub(crate) use corpora::Corpora;
pub(crate) use corpus::Corpus;
pub use excerpt::{Excerpt, Shown};
pub use gather::Gathered;
pub use hit::{Found, OtherPlace, SearchHit, SearchQuery};
pub use similar::{Likeness, SimilarHit};
