//! The contents and symbols of file versions that were read, within a memory budget.

use orient_engine::{FileVersion, SharedBytes};
use orient_history::{Blob, BlobKind, CommonBlock, History, HistoryError, Oid, common_blocks};
use orient_model::RepoPath;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Maximum size of a content whose symbols are compared.
pub(crate) const MAX_CONTENT: usize = 2 << 20;
/// Contents in each of the two halves, in bytes.
const MAX_BYTES: usize = 24 << 20;
/// What a version costs besides its content.
const OVERHEAD: usize = 4096;

/// File versions by content and path, since the path decides about the language, and contents.
#[derive(Default)]
pub(crate) struct VersionCache {
    versions: TwoHalves<(Oid, Vec<u8>), FileVersion>,
    contents: TwoHalves<Oid, Vec<u8>>,
    /// The version of each path that was extracted last.
    latest: HashMap<Vec<u8>, Arc<FileVersion>>,
}

/// Another version of a file, and the blocks that both have in common where they are known.
#[derive(Clone, Copy)]
pub(crate) struct Beside<'v> {
    pub(crate) version: &'v FileVersion,
    pub(crate) blocks: Option<&'v [SharedBytes]>,
}

impl VersionCache {
    /// The symbols of a content at a path; none of a missing, large or special file. They are found faster `beside` the
    /// version that a commit replaced or made, or else beside the one that was extracted last.
    pub(crate) fn get(
        &mut self,
        history: &mut History,
        path: &[u8],
        blob: Option<Blob>,
        beside: Option<Beside<'_>>,
    ) -> Result<Arc<FileVersion>, HistoryError> {
        let Some(blob) = blob.filter(|blob| blob.kind == BlobKind::File) else { return Ok(Arc::default()) };
        let key = (blob.id, path.to_vec());
        if let Some(version) = self.versions.get(&key) {
            return Ok(version);
        }
        if history.size(Some(blob))? > MAX_CONTENT as u64 {
            return Ok(Arc::default());
        }
        let content = self.content(history, Some(blob))?;
        let repo_path = RepoPath::new(path.to_vec());
        let latest = self.latest.get(path).map(|version| Beside { version, blocks: None });
        let version = match beside.or(latest).filter(|other| !other.version.content().is_empty()) {
            Some(Beside { version, blocks: Some(blocks) }) => {
                FileVersion::extract_beside(&repo_path, &content, version, blocks)
            }
            Some(other) => version_beside(&repo_path, &content, other.version),
            None => FileVersion::extract(&repo_path, &content),
        };
        let version = Arc::new(version);
        if self.versions.put(key, Arc::clone(&version), content.len() + OVERHEAD) {
            self.latest.clear();
        }
        self.latest.insert(path.to_vec(), Arc::clone(&version));
        Ok(version)
    }

    /// The bytes of a content; nothing for one that is too large or of a submodule.
    pub(crate) fn content(
        &mut self,
        history: &mut History,
        blob: Option<Blob>,
    ) -> Result<Arc<Vec<u8>>, HistoryError> {
        let Some(blob) = blob else { return Ok(Arc::default()) };
        if let Some(content) = self.contents.get(&blob.id) {
            return Ok(content);
        }
        let content = history.content(Some(blob))?;
        self.contents.put(blob.id, Arc::clone(&content), content.len());
        Ok(content)
    }
}

/// A cache of bounded size: what was not used while the younger half filled up is dropped.
struct TwoHalves<K, V> {
    young: HashMap<K, Arc<V>>,
    old: HashMap<K, Arc<V>>,
    bytes: usize,
}

impl<K, V> Default for TwoHalves<K, V> {
    fn default() -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), bytes: 0 }
    }
}

impl<K: Hash + Eq + Clone, V> TwoHalves<K, V> {
    fn get(&mut self, key: &K) -> Option<Arc<V>> {
        if let Some(found) = self.young.get(key) {
            return Some(Arc::clone(found));
        }
        let found = self.old.remove(key)?;
        self.young.insert(key.clone(), Arc::clone(&found));
        Some(found)
    }

    /// Adds a value of a size. Returns whether others were dropped.
    fn put(&mut self, key: K, value: Arc<V>, bytes: usize) -> bool {
        self.bytes += bytes;
        let is_full = self.bytes > MAX_BYTES;
        if is_full {
            self.old = std::mem::take(&mut self.young);
            self.bytes = bytes;
        }
        self.young.insert(key, value);
        is_full
    }
}

/// The symbols of a content, found with the help of another version of the file.
pub fn version_beside(path: &RepoPath, content: &Arc<Vec<u8>>, other: &FileVersion) -> FileVersion {
    FileVersion::extract_beside(path, content, other, &shared(&common_blocks(other.content(), content)))
}

fn shared(blocks: &[CommonBlock]) -> Vec<SharedBytes> {
    let block =
        |block: &CommonBlock| SharedBytes { other: block.before, start: block.after, length: block.length };
    blocks.iter().map(block).collect()
}
