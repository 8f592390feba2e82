//! The symbol table of a first build: everything is in memory.

use super::SymbolTable;
use orient_model::{Node, RepoPath};
use orient_store::{Bearer, Directory, DirectoryFile, FileId, NodeId};

impl SymbolTable for Directory {
    fn file_at(&self, path: &RepoPath) -> Option<FileId> {
        Self::file_at(self, path)
    }

    fn file(&self, id: FileId) -> Option<DirectoryFile> {
        Self::file(self, id).cloned()
    }

    fn named(&self, name: &str, languages: &[&str]) -> Vec<Bearer> {
        Self::named(self, name, languages)
    }

    fn folder(&self, folder: &[u8]) -> Vec<FileId> {
        Self::folder(self, folder)
    }

    fn ending(&self, path: &[u8]) -> Vec<FileId> {
        Self::ending(self, path)
    }

    fn manifests(&self) -> Vec<FileId> {
        Self::manifests(self).to_vec()
    }

    fn node(&self, node: Node) -> Option<NodeId> {
        Self::node(self, node)
    }
}
