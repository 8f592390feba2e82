//! Errors of reading an index.

use std::io;

/// Why an index could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ScipError {
    /// The input could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The bytes are not a SCIP index.
    #[error("it is not a SCIP index")]
    Malformed,
    /// A document is larger than any real one.
    #[error("a document of it is larger than {0} bytes")]
    TooLarge(u64),
}
