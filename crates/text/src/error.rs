//! Malformed posting lists.

use thiserror::Error;

/// Stored bytes that are not what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a posting list of trigrams or terms is malformed: {0}")]
pub struct TextError(pub(crate) &'static str);

impl TextError {
    /// A list of fixed-size numbers that ends within a number.
    pub const PARTIAL_NUMBER: Self = Self("it ends within a number");
    pub(crate) const TRUNCATED: Self = Self("it ends early");
    pub(crate) const OUT_OF_BOUNDS: Self = Self("a number is out of bounds");
}
