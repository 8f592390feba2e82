//! Seeding: a new working tree starts from a copy of a sibling's index, because most files are the same.

use crate::{Engine, StorePaths};
use orient_store::{Snapshot, WriteLock, copy_index};
use std::path::PathBuf;

/// Copies the index of the sibling with the most generations, if the same version made it. Returns the sibling. A
/// failure is harmless: the index is then built from the cache.
pub(crate) fn seed(engine: &Engine, lock: &WriteLock) -> Option<PathBuf> {
    let index_of =
        |root: &PathBuf| StorePaths::tree_directory(&engine.paths.repository, root).join(StorePaths::INDEX);
    let generation = |root: &PathBuf| {
        let snapshot = Snapshot::open(&index_of(root)).ok()?;
        (snapshot.extractor() == engine.classifier.extraction_version()).then(|| snapshot.generation())
    };
    let siblings = engine.repo.siblings();
    let mut usable: Vec<(u64, &PathBuf)> =
        siblings.iter().filter_map(|root| Some((generation(root)?, root))).collect();
    usable.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    usable
        .into_iter()
        .map(|(_, root)| root)
        .find(|root| copy_index(&index_of(root), &engine.paths.index(), lock).is_ok())
        .cloned()
}
