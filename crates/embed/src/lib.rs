//! Text to vectors, and the search over vectors.
//!
//! The built-in model is a table of rows inside the binary: a text is the sum of its tokens' rows. It needs no set-up, no
//! network and no decoding, and gives the same bytes on every machine and on any number of threads. Other providers stand
//! behind the same [`Embedder`].
//!
//! Pure: no files, no environment, no SQL. It knows neither chunks nor languages; what a text is, the caller decides.

#[cfg(test)]
mod agreement;
mod artefact;
mod bag;
mod block;
mod builtin;
mod embedder;
mod error;
mod index;
mod kernel;
mod nearest;
mod packed;
mod sum;
mod vocabulary;
mod words;

pub use bag::{Bag, Cuts};
pub use builtin::BuiltIn;
pub use embedder::{Embedder, ModelId, Role};
pub use error::{EmbedError, ModelError};
pub use index::{FlatIndex, cosine};
pub use nearest::{Hit, PackedIndex, Scan};
pub use packed::{PackedGroup, packed_length};
pub use sum::{Sum, Vector, combine};
