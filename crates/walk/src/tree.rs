//! The interface of a tree: files by path, whether they are on disk or stored elsewhere.
//!
//! An index describes one tree, and is built from nothing but this interface. The working tree is one, listed by walking the
//! file system; a commit is another, listed from its objects. The difference between two trees is the difference of their
//! stamps: an equal and trusted stamp means equal content, whatever a stamp is made of.

use crate::read_file::{Content, ReadFailure};
use crate::search_files::{SearchFiles, SearchScope, list_search_files};
use crate::subtrees::Subtrees;
use crate::{
    Listing, RootDirectory, SkipReason, WalkError, WalkOptions, list, list_subtrees, path_conversion,
};
use orient_model::{RepoPath, Stamp};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

/// The files of a repository in one state.
pub trait Tree: Send + Sync {
    /// The id of a tree that never changes; `None` for a working tree.
    fn id(&self) -> Option<&[u8]>;
    /// Lists the files that are not ignored: all, or those of some subtrees.
    fn list(&self, options: &WalkOptions, part: Option<&Subtrees>) -> Result<Listing, WalkError>;
    /// Lists the files of a text search.
    fn search_files(&self, scope: &SearchScope) -> Result<SearchFiles, WalkError>;
    /// What is at a path, ignored or not; the empty path is the root. `None` if nothing is.
    fn kind(&self, path: &RepoPath) -> Option<PathKind>;
    /// Opens the tree for reading.
    fn open(&self) -> Result<Box<dyn TreeReader>, WalkError>;
    /// Number of paths whose content differs from that of another tree, given by its id; `None` if that is unknown.
    fn differing_paths(&self, id: &[u8]) -> Option<usize>;
}

/// Reads files of a tree, on any number of threads.
pub trait TreeReader: Send + Sync {
    /// Reads a whole file if it is a regular text file of at most `max` bytes.
    fn read(&self, path: &RepoPath, max: u64) -> Result<Content, ReadFailure>;
    /// The stamp of a file, if it is known without reading it that its content is that of the working file that had another
    /// stamp.
    fn stamp_if_same(&self, _path: &RepoPath, _working: &Stamp) -> Option<Stamp> {
        None
    }
    /// Opens a file for a text search, whatever it contains.
    fn source(&self, path: &RepoPath) -> Result<FileSource, SkipReason>;
}

/// What is at a path of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, a device, a submodule.
    Other,
}

/// The content of a file, to be searched.
#[derive(Debug)]
pub enum FileSource {
    /// A file on disk.
    File(File),
    /// Bytes in memory.
    Bytes(Arc<[u8]>),
}

/// The tree on disk below a directory.
#[derive(Clone, Debug)]
pub struct WorkingTree {
    root: PathBuf,
}

impl WorkingTree {
    /// The tree below a directory, which must be canonical.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }
}

impl Tree for WorkingTree {
    fn id(&self) -> Option<&[u8]> {
        None
    }

    fn list(&self, options: &WalkOptions, part: Option<&Subtrees>) -> Result<Listing, WalkError> {
        match part {
            None => list(&self.root, options),
            Some(part) => list_subtrees(&self.root, options, part),
        }
    }

    fn search_files(&self, scope: &SearchScope) -> Result<SearchFiles, WalkError> {
        list_search_files(&self.root, scope)
    }

    fn kind(&self, path: &RepoPath) -> Option<PathKind> {
        let native = if path.as_bytes().is_empty() {
            self.root.clone()
        } else {
            self.root.join(path_conversion::to_native(path)?)
        };
        let kind = native.symlink_metadata().ok()?.file_type();
        Some(match (kind.is_file(), kind.is_dir()) {
            (true, _) => PathKind::File,
            (_, true) => PathKind::Directory,
            _ => PathKind::Other,
        })
    }

    fn open(&self) -> Result<Box<dyn TreeReader>, WalkError> {
        Ok(Box::new(RootDirectory::open(&self.root)?))
    }

    fn differing_paths(&self, _id: &[u8]) -> Option<usize> {
        None
    }
}

impl TreeReader for RootDirectory {
    fn read(&self, path: &RepoPath, max: u64) -> Result<Content, ReadFailure> {
        RootDirectory::read(self, path, max)
    }

    fn source(&self, path: &RepoPath) -> Result<FileSource, SkipReason> {
        self.open_file(path).map(FileSource::File)
    }
}
