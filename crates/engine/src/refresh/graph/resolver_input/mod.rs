//! The input of resolution: tables of files and names from the store, facts from the cache.

mod facts_source;
mod in_memory_table;
mod store_table;

use crate::extraction::{self, Language};
pub(crate) use facts_source::FactsSource;
use orient_model::{Node, RepoPath, Rules};
use orient_resolve::{FileFacts, NamedSymbol, Repository};
use orient_store::{FileId, IndexedFile, NodeId, SymbolEntry};
use std::sync::Arc;
pub(crate) use store_table::{ChangeSetTable, SnapshotTable};

/// The files and names of an index that is being written, for many threads.
pub(crate) trait SymbolTable: Sync {
    /// The indexed file at a path.
    fn file_at(&self, path: &RepoPath) -> Option<FileId>;
    /// The indexed file with an id.
    fn file(&self, id: FileId) -> Option<IndexedFile>;
    /// Every symbol with a name in files of these languages, by path and position.
    fn named(&self, name: &str, languages: &[&str]) -> Vec<SymbolEntry>;
    /// The files directly in a directory, by path.
    fn directory(&self, directory: &[u8]) -> Vec<FileId>;
    /// The files whose path equals this one, or ends with it after a `/`, by path.
    fn ending(&self, path: &[u8]) -> Vec<FileId>;
    /// The project files, by path.
    fn manifests(&self) -> Vec<FileId>;
    /// The stored id of a node in resolution's numbering.
    fn node(&self, node: Node) -> Option<NodeId>;
}

/// The resolver's view of an index: a symbol table, and facts for its files.
pub(crate) struct IndexRepository<'t> {
    table: &'t dyn SymbolTable,
    facts: &'t FactsSource,
}

impl<'t> IndexRepository<'t> {
    pub(crate) fn new(table: &'t dyn SymbolTable, facts: &'t FactsSource) -> Self {
        Self { table, facts }
    }
}

impl Repository for IndexRepository<'_> {
    fn file_at(&self, path: &RepoPath) -> Option<u32> {
        self.table.file_at(path).and_then(number)
    }

    fn facts(&self, file: u32) -> Option<Arc<FileFacts>> {
        self.facts.get(file, || self.table.file(id(file)))
    }

    fn symbols_named(&self, family: &str, name: &str) -> Vec<NamedSymbol> {
        let Some(family) = extraction::family(family) else { return Vec::new() };
        let named = |SymbolEntry { file, at, kind, modifiers }| {
            Some(NamedSymbol { node: Node { file: number(file)?, symbol: Some(at) }, kind, modifiers })
        };
        self.table.named(name, &family.languages).into_iter().filter_map(named).collect()
    }

    fn directory(&self, path: &RepoPath) -> Vec<u32> {
        numbers(self.table.directory(path.as_bytes()))
    }

    fn files_ending_with(&self, path: &str) -> Vec<u32> {
        numbers(self.table.ending(path.as_bytes()))
    }

    fn manifests(&self) -> Vec<u32> {
        numbers(self.table.manifests())
    }

    fn rules(&self, language: &str) -> Option<&Rules> {
        Language::by_name(language)?.rules()
    }
}

/// Whether the references of a file are resolved.
pub(crate) fn has_rules(file: &IndexedFile) -> bool {
    file.language.as_deref().and_then(Language::by_name).is_some_and(|language| language.rules().is_some())
}

/// The number of a file in resolution.
pub(crate) fn number(file: FileId) -> Option<u32> {
    u32::try_from(file.0).ok()
}

/// The file with a number in resolution.
pub(crate) fn id(number: u32) -> FileId {
    FileId(i64::from(number))
}

fn numbers(files: Vec<FileId>) -> Vec<u32> {
    files.into_iter().filter_map(number).collect()
}
