//! Remote embeddings: vectors of models outside the binary.
//!
//! This module opens no connection. A caller with a provider takes the texts of an [`EmbeddingJob`] and stores their
//! vectors; a query comes with its vector as a [`RemoteQuery`].

mod chunk_texts;
mod embedding_job;
mod remote_similarity;
mod remote_vectors;

pub(crate) use chunk_texts::key_of;
pub use embedding_job::{EmbeddingJob, EmbeddingLock};
pub use remote_similarity::{EmbeddingCoverage, RemoteQuery};
pub(crate) use remote_vectors::RemoteVectorCache;
