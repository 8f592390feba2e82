//! The interface of embedding models.

use std::fmt;

use crate::{EmbedError, TextEmbedding};

/// The model that computed a vector. Vectors of different models are not comparable, so this is part of every cache key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelId {
    /// The name of the model, without white space.
    pub name: String,
    /// Incremented whenever the same text gets a different vector.
    pub revision: u32,
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.name, self.revision)
    }
}

/// The role of a text in retrieval. Some providers embed queries differently from passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A search query.
    Query,
    /// A text to be found.
    Passage,
}

/// An embedding model.
///
/// A function has three texts: its body, the words of its path, and the names it defines. Each is embedded separately and
/// [`combine`](crate::combine) computes their weighted sum, so that weights can change without embedding again.
pub trait Embedder: Send + Sync {
    /// The model.
    fn model(&self) -> ModelId;

    /// The number of values of a vector.
    fn dimension(&self) -> usize;

    /// One embedding per text, in order. It depends on the text and the role only, not on the rest of the batch.
    fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<TextEmbedding>, EmbedError>;
}
