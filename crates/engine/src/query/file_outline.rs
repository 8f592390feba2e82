//! A file with its outline and the ids of its symbols.

use crate::Definition;
use orient_model::Outline;
use orient_store::{FileRow, SymbolId};

/// A file with its outline.
#[derive(Clone, Debug)]
pub struct FileOutline {
    /// The file.
    pub file: FileRow,
    /// Its symbols and chunks.
    pub outline: Outline,
    /// The ids of its symbols, in outline order.
    pub ids: Vec<SymbolId>,
}

impl FileOutline {
    /// Its symbols, in source order.
    pub fn definitions(&self) -> impl Iterator<Item = Definition> {
        let at = |(at, &id): (usize, &SymbolId)| Definition::new(&self.file, &self.outline, at as u32, id);
        self.ids.iter().enumerate().filter_map(at)
    }
}
