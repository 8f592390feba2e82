//! The symbols of file versions that were read, within a memory budget.

use orient_engine::{FileVersion, SharedBytes};
use orient_history::{Blob, BlobKind, History, HistoryError, Oid, common_blocks};
use orient_model::RepoPath;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum size of a content whose symbols are compared.
pub(crate) const MAX_CONTENT: usize = 2 << 20;
/// Contents in each of the two halves, in bytes.
const MAX_BYTES: usize = 24 << 20;
/// What a version costs besides its content.
const OVERHEAD: usize = 4096;

type Key = (Oid, Vec<u8>);

/// File versions by content and path, since the path decides about the language. What was not used while the younger half
/// filled up is dropped.
#[derive(Default)]
pub struct VersionCache {
    young: HashMap<Key, Arc<FileVersion>>,
    old: HashMap<Key, Arc<FileVersion>>,
    /// The version of each path that was extracted last.
    latest: HashMap<Vec<u8>, Arc<FileVersion>>,
    bytes: usize,
}

impl VersionCache {
    /// The symbols of a content at a path; none of a missing, large or special file. They are found faster `beside` the
    /// version that a commit replaced or made, or else beside the one that was extracted last.
    pub fn get(
        &mut self,
        history: &mut History,
        path: &[u8],
        blob: Option<Blob>,
        beside: Option<&FileVersion>,
    ) -> Result<Arc<FileVersion>, HistoryError> {
        let Some(blob) = blob.filter(|blob| blob.kind == BlobKind::File) else { return Ok(Arc::default()) };
        let key = (blob.id, path.to_vec());
        if let Some(version) = self.young.get(&key) {
            return Ok(Arc::clone(version));
        }
        let (version, bytes) = if let Some(version) = self.old.remove(&key) {
            (version, OVERHEAD)
        } else {
            let content = history.content(Some(blob))?;
            let small = content.len() <= MAX_CONTENT;
            let repo_path = RepoPath::new(path.to_vec());
            let latest = self.latest.get(path).map(|version| &**version);
            let version = match beside.or(latest).filter(|other| !other.content().is_empty()) {
                _ if !small => FileVersion::default(),
                Some(other) => version_beside(&repo_path, &content, other),
                None => FileVersion::extract(&repo_path, &content),
            };
            (Arc::new(version), content.len() + OVERHEAD)
        };
        self.bytes += bytes;
        if self.bytes > MAX_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.latest.clear();
            self.bytes = bytes;
        }
        self.latest.insert(path.to_vec(), Arc::clone(&version));
        self.young.insert(key, Arc::clone(&version));
        Ok(version)
    }
}

/// The symbols of a content, found with the help of another version of the file.
pub fn version_beside(path: &RepoPath, content: &Arc<Vec<u8>>, other: &FileVersion) -> FileVersion {
    let shared: Vec<SharedBytes> = common_blocks(other.content(), content)
        .iter()
        .map(|block| SharedBytes { other: block.before, start: block.after, length: block.length })
        .collect();
    FileVersion::extract_beside(path, content, other, &shared)
}
