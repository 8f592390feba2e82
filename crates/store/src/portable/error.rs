//! Errors of portable indexes, by what the caller can do about them.

use crate::error::StoreError;
use std::io;

/// Why a portable index could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum PortableError {
    /// The file is something else.
    #[error("it is not an index that `orient export` wrote")]
    Foreign,
    /// Another version wrote it: export again with this one.
    #[error("{what} {found} of the file does not match {known} of this program")]
    Version {
        /// What has the version.
        what: &'static str,
        /// The version in the file.
        found: String,
        /// The version of this program.
        known: String,
    },
    /// The file was cut off or changed after it was written: copy it again.
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
    /// The hash is right and the content is not: nobody should have written this.
    #[error("its content is not valid: {0}")]
    Invalid(String),
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The file cannot be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PortableError {
    pub(super) fn invalid(detail: impl Into<String>) -> Self {
        Self::Invalid(detail.into())
    }
}
