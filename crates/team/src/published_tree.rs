//! The tree of a published branch, as a [`Tree`]: entries from the database, contents by their hash.
//!
//! The stamp of a file is its size and a part of its hash, so that equal stamps mean equal contents in all trees.

use crate::contents::{ContentCache, Hash, MAX_CONTENT, hex};
use crate::data_directory::DataDirectory;
use crate::error::TeamError;
use orient_model::{RepoPath, Stamp};
use orient_walk::{
    Content, FileSource, Listing, PathKind, ReadFailure, SearchFiles, SearchScope, SkipReason, StoredEntries,
    StoredEntry, StoredKind, Subtrees, Tree, TreeReader, WalkError, WalkOptions, list_stored, search_stored,
    stored_kind,
};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum size of the manifest of a tree.
const MAX_MANIFEST: u64 = 1 << 30;

/// Number of scopes of searches whose files are kept.
const MAX_SCOPES: usize = 4;

/// An entry of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BranchEntry {
    pub(crate) path: RepoPath,
    pub(crate) kind: StoredKind,
    /// Its id in git.
    pub(crate) blob: Vec<u8>,
    pub(crate) size: u64,
    /// The hash of its content; `None` for what is not stored.
    pub(crate) content: Option<Hash>,
}

impl BranchEntry {
    /// What identifies its content.
    fn key(&self) -> Hash {
        self.content.unwrap_or_else(|| *blake3::hash(&self.blob).as_bytes())
    }

    pub(crate) fn kind_number(&self) -> i16 {
        match self.kind {
            StoredKind::File => 0,
            StoredKind::Link => 1,
            StoredKind::Submodule => 2,
        }
    }

    pub(crate) fn kind_of(number: i16) -> StoredKind {
        match number {
            0 => StoredKind::File,
            1 => StoredKind::Link,
            _ => StoredKind::Submodule,
        }
    }
}

/// The id of a tree: a hash of its entries, which are sorted by path.
pub(crate) fn tree_id(entries: &[BranchEntry]) -> Hash {
    *blake3::hash(&manifest(entries)).as_bytes()
}

/// The entries as bytes: for each the kind, what identifies the content, the length of the path, the path.
fn manifest(entries: &[BranchEntry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        bytes.push(entry.kind_number().cast_unsigned() as u8);
        bytes.extend_from_slice(&entry.key());
        bytes.extend_from_slice(&(entry.path.as_bytes().len() as u32).to_le_bytes());
        bytes.extend_from_slice(entry.path.as_bytes());
    }
    bytes
}

/// The paths of a manifest, each with the kind and the content before it.
fn manifest_entries(mut bytes: &[u8]) -> Vec<(&[u8], &[u8])> {
    const HEAD: usize = 1 + 32;
    let mut entries = Vec::new();
    while let Some((head, rest)) = bytes.split_at_checked(HEAD)
        && let Some((length, rest)) = rest.split_first_chunk::<4>()
        && let Some((path, rest)) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)
    {
        entries.push((path, head));
        bytes = rest;
    }
    entries
}

/// The manifests of the trees of a repository that have an index in the data directory, so that the most similar one can be found.
#[derive(Clone)]
pub(crate) struct Manifests {
    data: DataDirectory,
    directory: String,
}

impl Manifests {
    pub(crate) fn new(data: &DataDirectory, repository: i64) -> Self {
        Self { data: data.clone(), directory: format!("manifests/{repository}") }
    }

    fn read(&self, id: &[u8]) -> Option<Vec<u8>> {
        self.data.directory(&self.directory).ok()?.read(&hex(id), MAX_MANIFEST).ok()?
    }

    /// Writes the manifest of a tree whose index exists, and removes those whose index does not; `indexed` lists the ids of the
    /// trees that have one. Names are listed first: a manifest is only written after its index.
    pub(crate) fn keep(
        &self,
        tree: &PublishedTree,
        indexed: impl FnOnce() -> Vec<Vec<u8>>,
    ) -> Result<(), TeamError> {
        let failed = || TeamError::io("cannot write the manifest of a tree");
        let directory = self.data.directory(&self.directory)?;
        directory.replace(&hex(&tree.id), &tree.manifest).map_err(failed())?;
        let names = directory.names().map_err(failed())?;
        let indexed: HashSet<String> = indexed().iter().map(|id| hex(id)).collect();
        for name in names.iter().filter_map(|name| name.to_str()).filter(|name| !indexed.contains(*name)) {
            // One that stays is removed by the next call.
            let _ = directory.remove(name);
        }
        Ok(())
    }
}

/// A published tree.
pub(crate) struct PublishedTree {
    root: PathBuf,
    id: Hash,
    manifest: Vec<u8>,
    manifests: Manifests,
    listed: Arc<ListedEntries>,
    /// The files of the scopes that were searched last: evaluating the rules of a tree takes longer than most searches.
    searched: Mutex<Vec<(SearchScope, SearchFiles)>>,
}

struct ListedEntries {
    entries: Vec<StoredEntry>,
    stamps: Vec<Stamp>,
    contents: Vec<Option<Hash>>,
    cache: ContentCache,
}

impl PublishedTree {
    /// A tree with these entries, sorted by path, below a root that has no files.
    pub(crate) fn new(
        root: PathBuf,
        entries: &[BranchEntry],
        cache: ContentCache,
        manifests: Manifests,
    ) -> Self {
        let manifest = manifest(entries);
        let id = *blake3::hash(&manifest).as_bytes();
        let stored = |entry: &BranchEntry| StoredEntry { path: entry.path.clone(), kind: entry.kind };
        let listed = ListedEntries {
            entries: entries.iter().map(stored).collect(),
            stamps: entries.iter().map(|entry| stamp_of(&entry.key(), entry.size)).collect(),
            contents: entries.iter().map(|entry| entry.content).collect(),
            cache,
        };
        Self { root, id, manifest, manifests, listed: Arc::new(listed), searched: Mutex::default() }
    }

    /// The content of a file; empty if there is none.
    pub(crate) fn text(&self, path: &str) -> Result<Vec<u8>, TeamError> {
        let at = self.listed.position(&RepoPath::from(path));
        let hash = at.and_then(|at| self.listed.contents[at]);
        hash.map_or_else(|| Ok(Vec::new()), |hash| Ok(self.listed.cache.read(&hash)?.to_vec()))
    }
}

impl Tree for PublishedTree {
    fn id(&self) -> Option<&[u8]> {
        Some(&self.id)
    }

    fn list(&self, options: &WalkOptions, part: Option<&Subtrees>) -> Result<Listing, WalkError> {
        let mut listing = list_stored(&self.root, &*self.listed, options)?;
        if let Some(part) = part {
            listing.files.retain(|entry| part.contains(&entry.path));
            listing.skipped.retain(|skip| part.contains(&skip.path));
        }
        Ok(listing)
    }

    fn search_files(&self, scope: &SearchScope) -> Result<SearchFiles, WalkError> {
        let mut searched = self.searched.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, files)) = searched.iter().find(|(known, _)| known == scope) {
            return Ok(files.clone());
        }
        let files = search_stored(&self.root, &*self.listed, scope)?;
        if searched.len() == MAX_SCOPES {
            searched.remove(0);
        }
        searched.push((scope.clone(), files.clone()));
        Ok(files)
    }

    fn kind(&self, path: &RepoPath) -> Option<PathKind> {
        stored_kind(&self.listed.entries, path)
    }

    fn open(&self) -> Result<Box<dyn TreeReader>, WalkError> {
        Ok(Box::new(PublishedReader(Arc::clone(&self.listed))))
    }

    fn differing_paths(&self, id: &[u8]) -> Option<usize> {
        let other = self.manifests.read(id)?;
        let (own, other) = (manifest_entries(&self.manifest), manifest_entries(&other));
        let is_in = |entry: &&(&[u8], &[u8]), all: &[(&[u8], &[u8])]| {
            all.binary_search_by_key(&entry.0, |known| known.0).is_ok_and(|at| all[at].1 == entry.1)
        };
        let missing =
            other.iter().filter(|entry| own.binary_search_by_key(&entry.0, |known| known.0).is_err());
        Some(own.iter().filter(|entry| !is_in(entry, &other)).count() + missing.count())
    }
}

impl ListedEntries {
    fn position(&self, path: &RepoPath) -> Option<usize> {
        self.entries.binary_search_by(|entry| entry.path.cmp(path)).ok()
    }
}

impl StoredEntries for ListedEntries {
    fn entries(&self) -> &[StoredEntry] {
        &self.entries
    }

    fn stamps(&self, files: &[usize], _threads: usize) -> Result<Vec<Stamp>, WalkError> {
        Ok(files.iter().map(|at| self.stamps[*at]).collect())
    }

    fn start(&self, file: usize, max: u64) -> Option<Vec<u8>> {
        let bytes = self.cache.read(&self.contents[file]?).ok()?;
        let most = usize::try_from(max).unwrap_or(usize::MAX).min(bytes.len());
        Some(bytes[..most].to_vec())
    }
}

/// Reads files of a published tree.
struct PublishedReader(Arc<ListedEntries>);

impl PublishedReader {
    fn bytes(&self, path: &RepoPath, max: u64) -> Result<(Arc<[u8]>, Stamp), ReadFailure> {
        let at = self.0.position(path).ok_or(SkipReason::Vanished)?;
        match self.0.entries[at].kind {
            StoredKind::File => {}
            StoredKind::Link => return Err(SkipReason::Link.into()),
            StoredKind::Submodule => return Err(SkipReason::Special.into()),
        }
        let stamp = self.0.stamps[at];
        let limit = max.min(MAX_CONTENT);
        let Some(hash) = self.0.contents[at].filter(|_| stamp.size <= limit) else {
            return Err(ReadFailure { reason: SkipReason::TooLarge { size: stamp.size, limit }, stamp });
        };
        let failed = |error: TeamError| ReadFailure::from(SkipReason::Unreadable(error.to_string()));
        Ok((self.0.cache.read(&hash).map_err(failed)?, stamp))
    }
}

impl TreeReader for PublishedReader {
    fn read(&self, path: &RepoPath, max: u64) -> Result<Content, ReadFailure> {
        let (bytes, stamp) = self.bytes(path, max)?;
        Content::of(bytes.to_vec(), stamp).ok_or(ReadFailure { reason: SkipReason::Binary, stamp })
    }

    fn source(&self, path: &RepoPath) -> Result<FileSource, SkipReason> {
        let (bytes, _) = self.bytes(path, u64::MAX).map_err(|failure| failure.reason)?;
        Ok(FileSource::Bytes(bytes))
    }
}

/// The stamp of a file: its size, and 24 bytes of what identifies its content.
fn stamp_of(key: &Hash, size: u64) -> Stamp {
    let number =
        |at: usize| key[at..at + 8].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    Stamp { size, mtime_ns: number(0).cast_signed(), ctime_ns: number(8).cast_signed(), inode: number(16) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, blob: u8) -> BranchEntry {
        let path = RepoPath::from(path);
        BranchEntry { path, kind: StoredKind::File, blob: vec![blob], size: 1, content: None }
    }

    #[test]
    fn a_tree_is_identified_by_its_paths_and_contents() {
        let tree = [entry("a", 1), entry("b", 2)];
        assert_eq!(tree_id(&tree), tree_id(&tree.clone()));
        assert_ne!(tree_id(&tree), tree_id(&[entry("a", 1), entry("b", 3)]));
        assert_ne!(tree_id(&tree), tree_id(&[entry("a", 1), entry("c", 2)]));
        let bytes = manifest(&tree);
        let paths: Vec<&[u8]> = manifest_entries(&bytes).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, [b"a", b"b"]);
        assert_eq!(manifest_entries(&bytes[..bytes.len() - 1]).len(), 1, "a cut manifest ends early");
    }
}
