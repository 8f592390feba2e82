//! Models outside of the binary: what they are given, what they gave, and how far that has come.
//!
//! No connection is opened here. Whoever has a provider takes the texts of an [`Embedding`] and brings their vectors back;
//! a question comes with its vector already made, as an [`OtherQuestion`]. Without those, nothing here is asked.

mod chunk_texts;
mod embedding_job;
mod remote_vectors;

pub(crate) use chunk_texts::key_of;
pub use embedding_job::{Embedding, EmbeddingTurn};
pub(crate) use remote_vectors::Others;
pub use remote_vectors::{Coverage, OtherQuestion};
