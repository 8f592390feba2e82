//! What can go wrong between tables and the lists that are kept in them.

use crate::error::StoreError;
use orient_text::TextError;
use std::path::Path;

/// Either the database fails, or a list in it is not what was written.
#[derive(Debug)]
pub(crate) enum ListError {
    Sql(rusqlite::Error),
    Text(TextError),
}

impl ListError {
    pub(crate) fn at(self, path: &Path) -> StoreError {
        match self {
            Self::Sql(error) => StoreError::sql(path, error),
            Self::Text(error) => StoreError::damaged(path, error.to_string()),
        }
    }
}

impl From<rusqlite::Error> for ListError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<TextError> for ListError {
    fn from(error: TextError) -> Self {
        Self::Text(error)
    }
}
