//! The indexes of stored trees, such as those of commits: how many are kept, and which are removed.
//!
//! They are caches: one that is removed is made again when it is needed.

use crate::Engine;
use crate::store_paths::{bytes_of_directory, directories, last_use, remove_directory, stored_tree_of};
use orient_store::WriteLock;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// One that was used more recently is not removed: a process may be about to read it.
const RECENT_USE: Duration = Duration::from_mins(1);

/// The index of a stored tree.
struct StoredIndex {
    used: SystemTime,
    bytes: u64,
    directory: PathBuf,
}

/// The indexes of stored trees in a repository's directory that exceed a size limit together, the least recently used
/// first. Those that are in use are left out, and so is `own`.
fn excess(repository: &Path, limit: u64, own: Option<&Path>) -> Vec<StoredIndex> {
    let mut indexes = Vec::new();
    for directory in directories(repository).unwrap_or_default() {
        if stored_tree_of(&directory).is_some()
            && let Some(used) = last_use(&directory)
        {
            indexes.push(StoredIndex { used, bytes: bytes_of_directory(&directory), directory });
        }
    }
    indexes.sort_by(|a, b| (a.used, &a.directory).cmp(&(b.used, &b.directory)));
    let mut total: u64 = indexes.iter().map(|index| index.bytes).sum();
    let mut removable = Vec::new();
    for index in indexes {
        let is_recent = index.used.elapsed().is_ok_and(|since| since < RECENT_USE);
        if total > limit && !is_recent && own != Some(index.directory.as_path()) {
            total -= index.bytes;
            removable.push(index);
        }
    }
    removable
}

/// Removes the indexes of stored trees that exceed the limit. Returns their number and their bytes.
pub(super) fn remove_excess(repository: &Path, limit: u64, own: Option<&Path>, dry_run: bool) -> (u64, u64) {
    let (mut count, mut bytes) = (0, 0);
    for index in excess(repository, limit, own) {
        // Nobody writes it, and a reader keeps the file that it has open.
        let is_removed = dry_run
            || WriteLock::try_acquire(&index.directory)
                .is_ok_and(|lock| lock.is_some() && remove_directory(&index.directory).is_ok());
        if is_removed {
            (count, bytes) = (count + 1, bytes + index.bytes);
        }
    }
    (count, bytes)
}

impl Engine {
    /// The ids of the stored trees of this repository that have an index.
    pub fn stored_trees(&self) -> Vec<Vec<u8>> {
        let directories = directories(&self.paths.repository).unwrap_or_default();
        directories.iter().filter_map(|directory| stored_tree_of(directory)).collect()
    }

    /// Removes the indexes of other stored trees that are too many, if this is one.
    pub(crate) fn limit_stored_trees(&self) {
        if self.tree.id().is_some() {
            let limit = self.settings.store.commits.bytes();
            remove_excess(&self.paths.repository, limit, Some(&self.paths.tree), false);
        }
    }
}
