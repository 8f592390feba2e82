//! A new working tree starts from the index of a sibling: most of its files are the same.

use crate::{Engine, Place};
use orient_store::{Snapshot, WriteLock, copy_index};
use std::path::PathBuf;

/// Copies the index of a sibling that was made as ours would be; the one with the most change sets behind it. Returns
/// whose it was. Failing is no fault: the index is then built from the cache.
pub(crate) fn seed(engine: &Engine, lock: &WriteLock) -> Option<PathBuf> {
    let index_of = |root: &PathBuf| Place::tree_folder(&engine.place.repository, root).join(Place::INDEX);
    let generation = |root: &PathBuf| {
        let snapshot = Snapshot::open(&index_of(root)).ok()?;
        (snapshot.extractor() == engine.languages.fingerprint()).then(|| snapshot.generation())
    };
    let siblings = engine.repo.siblings();
    let mut usable: Vec<(u64, &PathBuf)> =
        siblings.iter().filter_map(|root| Some((generation(root)?, root))).collect();
    usable.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    usable
        .into_iter()
        .map(|(_, root)| root)
        .find(|root| copy_index(&index_of(root), &engine.place.index(), lock).is_ok())
        .cloned()
}
