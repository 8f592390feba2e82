//! Models outside of the binary: what they are given, what they gave, and how far that has come.
//!
//! No connection is opened here. Whoever has a provider takes the texts of an [`Embedding`] and brings their vectors back;
//! a question comes with its vector already made, as an [`OtherQuestion`]. Without those, nothing here is asked.

mod job;
mod kept;
mod texts;

pub use job::{Embedding, EmbeddingTurn};
pub(crate) use kept::Others;
pub use kept::{Coverage, OtherQuestion};
pub(crate) use texts::key_of;
