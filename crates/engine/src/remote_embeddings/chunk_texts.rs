//! The texts of a file's chunks for remote models, and their hashes.

use crate::chunk_features::{self, TEXTS_VERSION};
use crate::extraction::Language;
use crate::{EngineError, Snapshot};
use orient_model::ContentHash;
use orient_store::{FileRow, INDEXED};
use orient_walk::TreeReader;

/// Hash of everything that the texts of a file depend on: path, content and chunking. `None` for a file without
/// chunks.
pub(crate) fn key_of(file: &FileRow) -> Option<ContentHash> {
    if file.status != INDEXED || file.chunks == 0 {
        return None;
    }
    let version = Language::version(Language::of(file.language.as_deref(), &file.path));
    let mut hasher = blake3::Hasher::new();
    hasher.update(&TEXTS_VERSION.to_le_bytes());
    hasher.update(&version.to_le_bytes());
    hasher.update(&file.hash?.0);
    hasher.update(file.path.as_bytes());
    Some(shortened(&hasher.finalize()))
}

/// The hash of a text.
pub(super) fn hash_of(text: &str) -> ContentHash {
    shortened(&blake3::hash(text.as_bytes()))
}

fn shortened(hash: &blake3::Hash) -> ContentHash {
    let mut short = [0; 16];
    short.copy_from_slice(&hash.as_bytes()[..16]);
    ContentHash(short)
}

impl Snapshot {
    /// The texts of a file, one per chunk; `None` if the file changed since it was indexed.
    pub(super) fn texts_of(
        &self,
        tree: &dyn TreeReader,
        file: &FileRow,
    ) -> Result<Option<Vec<String>>, EngineError> {
        let Ok(content) = tree.read(&file.path, self.max_file_size) else { return Ok(None) };
        if file.hash != Some(content.hash) {
            return Ok(None);
        }
        let Some(outline) = self.store.outline(file.id)? else { return Ok(None) };
        Ok(Some(chunk_features::texts(&file.path, &outline, &content.bytes)))
    }
}
