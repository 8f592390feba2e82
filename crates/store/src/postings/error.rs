//! What can go wrong when posting lists are read from their tables.

use crate::error::StoreError;
use orient_text::TextError;
use std::path::Path;

/// Either the database fails, or a stored posting list is malformed.
#[derive(Debug)]
pub(crate) enum PostingError {
    Sql(rusqlite::Error),
    Malformed(TextError),
}

impl PostingError {
    pub(crate) fn at(self, path: &Path) -> StoreError {
        match self {
            Self::Sql(error) => StoreError::sql(path, error),
            Self::Malformed(error) => StoreError::damaged(path, error.to_string()),
        }
    }
}

impl From<rusqlite::Error> for PostingError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<TextError> for PostingError {
    fn from(error: TextError) -> Self {
        Self::Malformed(error)
    }
}
