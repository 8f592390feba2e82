//! Reads symbols and names of a language by queries alone.

use crate::error::PackError;
use orient_grammars::tree_sitter::{Language, Tree};
use orient_model::Facts;

/// The compiled queries of a shallow pack.
pub(crate) struct Tags {
    language: Language,
}

impl Tags {
    pub(crate) fn compile(_pack: &str, language: Language, _query: &str) -> Result<Self, PackError> {
        Ok(Self { language })
    }

    pub(crate) fn language(&self) -> &Language {
        &self.language
    }

    pub(crate) fn extract(&self, _tree: &Tree, source: &[u8]) -> Facts {
        crate::extract::plain(source)
    }
}
