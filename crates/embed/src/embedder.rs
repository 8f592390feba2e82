//! The seam between those who need vectors and those who make them.

use std::fmt;

use crate::{EmbedError, Sum};

/// Which model made a vector. Vectors of different models cannot be compared, so this is part of every key they are
/// kept under.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelId {
    /// The name of the model, without blanks.
    pub name: String,
    /// Grows whenever the same text gets another vector.
    pub revision: u32,
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.name, self.revision)
    }
}

/// What a text is for. Some providers embed a question otherwise than what it is to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A question.
    Query,
    /// Something to be found.
    Passage,
}

/// Makes vectors of texts.
///
/// A function has three texts: its body, the words of its path, and the names it defines. Each is embedded on its own and
/// [`combine`](crate::combine) weighs them, so that weights can change without embedding anything again.
pub trait Embedder: Send + Sync {
    /// Which model this is.
    fn model(&self) -> ModelId;

    /// How many values a vector has.
    fn dimension(&self) -> usize;

    /// One sum for each text, in their order. The same text always gives the same sum, whatever stands beside it.
    fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<Sum>, EmbedError>;
}
