//! What resolution asks of a snapshot of the tree.

use orient_model::{Flow, Node, Outline, RepoPath, Role, Rules};
use std::sync::Arc;

/// The facts of a file in its place.
#[derive(Clone, Debug)]
pub struct FileFacts {
    /// Where it is.
    pub path: RepoPath,
    /// The name of its language.
    pub language: String,
    /// What it is for.
    pub role: Role,
    /// Its outside.
    pub outline: Outline,
    /// Its inside.
    pub flow: Flow,
}

/// A snapshot of the tree, as far as resolution looks at it. Files have numbers that mean nothing else.
pub trait World: Sync {
    /// The file at a path.
    fn file_at(&self, path: &RepoPath) -> Option<u32>;
    /// The facts of a file.
    fn facts(&self, file: u32) -> Option<Arc<FileFacts>>;
    /// Every symbol of this name, by path and place.
    fn named(&self, name: &str) -> Vec<Node>;
    /// The files directly in a folder, by path.
    fn folder(&self, path: &RepoPath) -> Vec<u32>;
    /// The files that say where modules are, by path.
    fn manifests(&self) -> Vec<u32>;
    /// The rules of a language; none for one whose names are not resolved.
    fn rules(&self, language: &str) -> Option<&Rules>;
}
