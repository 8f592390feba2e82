//! Seeding: the index of a new tree starts from a copy of another tree's index, because most files are the same.

use crate::compiler_layer;
use crate::store_paths::{directories, root_of, stored_tree_of};
use crate::{Engine, StorePaths};
use orient_store::{Snapshot, WriteLock, copy_index};
use std::path::{Path, PathBuf};

/// Copies the index of the most similar tree, if the same version made it. Returns the root of that tree. A failure is
/// harmless: the index is then built from the cache.
pub(crate) fn seed(engine: &Engine, lock: &WriteLock) -> Option<PathBuf> {
    let candidates = match engine.tree.id() {
        None => siblings(engine),
        Some(_) => most_similar_first(engine),
    };
    let copied = candidates.into_iter().find(|directory| {
        copy_index(&directory.join(StorePaths::INDEX), &engine.paths.index(), lock).is_ok()
    })?;
    root_of(&copied)
}

/// The directories of the other working trees that have a usable index, those with the most generations first.
fn siblings(engine: &Engine) -> Vec<PathBuf> {
    let directory = |root: &PathBuf| StorePaths::tree_directory(&engine.paths.repository, root);
    let mut usable: Vec<(u64, PathBuf)> = engine
        .repo
        .siblings()
        .iter()
        .map(directory)
        .filter_map(|directory| Some((usable_index(engine, &directory)?.generation(), directory)))
        .collect();
    usable.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    usable.into_iter().map(|(_, directory)| directory).collect()
}

/// The directories of all trees of the repository that have a usable index, the most similar first.
///
/// How a working tree differs is not known before its files are read, all of which that takes: it counts as different in
/// half of its files.
fn most_similar_first(engine: &Engine) -> Vec<PathBuf> {
    let mut usable: Vec<(usize, PathBuf)> = Vec::new();
    for directory in directories(&engine.paths.repository).unwrap_or_default() {
        // Edges of a compiler layer are only true for the tree that the layer was imported for.
        if directory == engine.paths.tree || compiler_layer::read(&directory).is_some() {
            continue;
        }
        let Some(snapshot) = usable_index(engine, &directory) else { continue };
        let differing = match stored_tree_of(&directory) {
            Some(id) => engine.tree.differing_paths(&id),
            None => snapshot.sizes().ok().map(|sizes| sizes.files as usize / 2),
        };
        usable.extend(differing.map(|differing| (differing, directory)));
    }
    usable.sort();
    usable.into_iter().map(|(_, directory)| directory).collect()
}

/// The index in a directory, if this version made it.
fn usable_index(engine: &Engine, directory: &Path) -> Option<Snapshot> {
    let snapshot = Snapshot::open(&directory.join(StorePaths::INDEX)).ok()?;
    (snapshot.extractor() == engine.classifier.extraction_version()).then_some(snapshot)
}
