//! The symbol table of a first build: everything is in memory.

use super::SymbolTable;
use orient_model::{Node, RepoPath};
use orient_store::{FileId, InMemorySymbolTable, IndexedFile, NodeId, SymbolEntry};

impl SymbolTable for InMemorySymbolTable {
    fn file_at(&self, path: &RepoPath) -> Option<FileId> {
        Self::file_at(self, path)
    }

    fn file(&self, id: FileId) -> Option<IndexedFile> {
        Self::file(self, id).cloned()
    }

    fn named(&self, name: &str, languages: &[&str]) -> Vec<SymbolEntry> {
        Self::symbols_named(self, name, languages)
    }

    fn directory(&self, directory: &[u8]) -> Vec<FileId> {
        Self::files_in_directory(self, directory)
    }

    fn ending(&self, path: &[u8]) -> Vec<FileId> {
        Self::files_ending_with(self, path)
    }

    fn manifests(&self) -> Vec<FileId> {
        Self::project_files(self).to_vec()
    }

    fn node(&self, node: Node) -> Option<NodeId> {
        Self::node(self, node)
    }
}
