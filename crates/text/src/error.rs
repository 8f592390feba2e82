//! What can be wrong with lists that were kept somewhere.

use thiserror::Error;

/// Kept bytes that are not what was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a list of trigrams or terms cannot be read: {0}")]
pub struct TextError(pub(crate) &'static str);

impl TextError {
    /// A list of numbers that ends in the middle of one.
    pub const NOT_WHOLE: Self = Self("it ends within a number");
}
