//! The symbols of file versions that were read, within a memory budget.

use orient_engine::FileVersion;
use orient_history::{Blob, BlobKind, History, HistoryError, Oid};
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
    bytes: usize,
}

impl VersionCache {
    /// The symbols of a content at a path; none of a missing, large or special file.
    pub fn get(
        &mut self,
        history: &mut History,
        path: &[u8],
        blob: Option<Blob>,
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
            let path = RepoPath::new(path.to_vec());
            let version = if small { FileVersion::extract(&path, &content) } else { FileVersion::default() };
            (Arc::new(version), content.len() + OVERHEAD)
        };
        self.bytes += bytes;
        if self.bytes > MAX_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.bytes = bytes;
        }
        self.young.insert(key, Arc::clone(&version));
        Ok(version)
    }
}
