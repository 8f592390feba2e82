//! Text embeddings and vector search.
//!
//! The built-in model is a static embedding table inside the binary: the embedding of a text is the weighted sum of its
//! tokens' rows. It needs no set-up and no network, and produces the same bytes on every machine and on any number of
//! threads. Other providers implement the same [`Embedder`].
//!
//! Pure: no files, no environment, no SQL. It does not depend on chunks or languages; the caller decides what a text is.

mod builtin;
mod embedder;
mod embedding;
mod error;
mod flat_index;
mod model_file;
mod packed_index;
mod pretokenizer;
mod quantisation;
mod simd_kernel;
mod token_bag;
#[cfg(test)]
mod training_parity;
mod vector_block;
mod vocabulary;

pub use builtin::BuiltIn;
pub use embedder::{Embedder, ModelId, Role};
pub use embedding::{TextEmbedding, Vector, combine};
pub use error::{EmbedError, ModelError};
pub use flat_index::{FlatIndex, cosine};
pub use packed_index::{Hit, PackedIndex, Scan};
pub use quantisation::{PackedGroup, packed_length};
pub use token_bag::{SegmentationCache, TokenBag};
