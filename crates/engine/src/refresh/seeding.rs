//! Seeding: the index of a new tree starts from another index, because most files are the same.
//!
//! The candidates, in this order: another tree of the same repository; the portable file that the user names; the index of a
//! directory that this one is a copy of, or was moved from; facts that another machine has.

use crate::compiler_layer;
use crate::progress::{Cancel, Progress};
use crate::store_paths::{directories, root_of, stored_tree_of};
use crate::{Engine, EngineError, StorePaths};
use orient_store::{Cache, Snapshot, WriteLock, copy_index};
use orient_walk::{Entry, Listing};
use std::cmp::Reverse;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Maximum number of indexes of other repositories to look at, the most recently written first.
const MAX_OTHERS: usize = 64;
/// Number of files that are looked up in each of them.
const PROBES: usize = 64;

/// What a new index started from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeedSource {
    /// The index of this directory.
    Tree(PathBuf),
    /// This portable file.
    File(PathBuf),
    /// The facts of another machine, in its words.
    Facts(String),
}

/// A machine that may have the facts of a tree that is indexed for the first time.
pub trait RemoteFacts: Send + Sync {
    /// Writes a file of facts. Returns what they are those of, or `None` if the machine does not have the repository; the error says why
    /// it could not be asked.
    fn fetch(&self, to: &mut File, cancel: &Cancel) -> Result<Option<String>, String>;
}

/// What seeding did.
#[derive(Default)]
pub(crate) struct Seeded {
    pub(crate) source: Option<SeedSource>,
    /// Why the user's file was not used.
    pub(crate) problem: Option<String>,
}

/// Starts the index of a tree from another one, if the same version made it. A failure is harmless: the index is then built from
/// the cache and the files.
pub(crate) fn seed(
    engine: &Engine,
    listing: &Listing,
    lock: &WriteLock,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<Seeded, EngineError> {
    let is_working_tree = engine.tree.id().is_none();
    let candidates = if is_working_tree { siblings(engine) } else { most_similar_first(engine) };
    if let Some(copied) = candidates.into_iter().find(|directory| copy(engine, directory, lock)) {
        return Ok(Seeded { source: root_of(&copied).map(SeedSource::Tree), problem: None });
    }
    if !is_working_tree {
        return Ok(Seeded::default());
    }
    let mut problem = None;
    if let Some(file) = &engine.settings.seed.index {
        let imported = engine
            .open_portable(file)
            .and_then(|mut open| engine.import_locked(&mut open, file, lock, cancel, progress));
        match imported {
            Ok(_) => return Ok(Seeded { source: Some(SeedSource::File(file.clone())), problem: None }),
            Err(EngineError::Cancelled) => return Err(EngineError::Cancelled),
            Err(error) => problem = Some(format!("seed.index is not used: {error}")),
        }
    }
    let source =
        original(engine, listing).filter(|directory| copy(engine, directory, lock)).and_then(|directory| {
            if let Some(repository) = directory.parent() {
                Cache::open(&engine.paths.cache()).adopt(&repository.join(StorePaths::CACHE));
            }
            root_of(&directory).map(SeedSource::Tree)
        });
    if source.is_some() {
        return Ok(Seeded { source, problem });
    }
    match fetch_facts(engine, cancel) {
        Ok(facts) => Ok(Seeded { source: facts.map(SeedSource::Facts), problem }),
        Err(_) if cancel.is_cancelled() => Err(EngineError::Cancelled),
        Err(reason) => Ok(Seeded { source: None, problem: problem.or(Some(reason)) }),
    }
}

/// Adds the facts that another machine has to the cache, so that the contents they are about need not be parsed.
fn fetch_facts(engine: &Engine, cancel: &Cancel) -> Result<Option<String>, String> {
    let Some(source) = &engine.remote_facts else { return Ok(None) };
    let path = engine.paths.tree.join(format!(".facts-{}", std::process::id()));
    let fetched = (|| {
        let failed = |error: std::io::Error| format!("fetched facts cannot be written: {error}");
        let _ = fs::remove_file(&path);
        let mut file = File::options().write(true).create_new(true).open(&path).map_err(failed)?;
        let label = source.fetch(&mut file, cancel)?;
        drop(file);
        if label.is_some() {
            engine
                .import_facts(&path, cancel)
                .map_err(|error| format!("the facts of the team server are not used: {error}"))?;
        }
        Ok(label)
    })();
    let _ = fs::remove_file(&path);
    fetched
}

fn copy(engine: &Engine, directory: &Path, lock: &WriteLock) -> bool {
    copy_index(&directory.join(StorePaths::INDEX), &engine.paths.index(), lock).is_ok()
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
        if directory == engine.paths.tree || compiler_layer::version(&directory) != 0 {
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

/// The directory of the working tree of another repository that this tree is a copy of, or was moved from: at least half of a
/// sample of its files are there, with the same size. Contents are compared later, like those of any seed.
fn original(engine: &Engine, listing: &Listing) -> Option<PathBuf> {
    let step = listing.files.len().div_ceil(PROBES).max(1);
    let probes: Vec<&Entry> = listing.files.iter().step_by(step).collect();
    let mut best: Option<(usize, PathBuf)> = None;
    for directory in other_trees(engine) {
        let Some(snapshot) = usable_index(engine, &directory) else { continue };
        let is_there = |probe: &&&Entry| {
            let file = snapshot.file(&probe.path).ok().flatten();
            file.is_some_and(|file| file.hash.is_some() && file.bytes == probe.stamp.size)
        };
        let common = probes.iter().filter(is_there).count();
        if common > 0 && common * 2 >= probes.len() && best.as_ref().is_none_or(|(most, _)| common > *most) {
            best = Some((common, directory));
        }
    }
    best.map(|(_, directory)| directory)
}

/// The directories of working trees of other repositories in the store, the most recently written first.
fn other_trees(engine: &Engine) -> Vec<PathBuf> {
    let mut found: Vec<(Reverse<SystemTime>, PathBuf)> = Vec::new();
    for repository in directories(&engine.paths.store).unwrap_or_default() {
        if repository == engine.paths.repository {
            continue;
        }
        for tree in directories(&repository).unwrap_or_default() {
            let written = tree.join(StorePaths::INDEX).metadata().and_then(|index| index.modified());
            if let Ok(written) = written
                && stored_tree_of(&tree).is_none()
                && compiler_layer::version(&tree) == 0
            {
                found.push((Reverse(written), tree));
            }
        }
    }
    found.sort();
    found.truncate(MAX_OTHERS);
    found.into_iter().map(|(_, tree)| tree).collect()
}

/// The index in a directory, if this version made it.
fn usable_index(engine: &Engine, directory: &Path) -> Option<Snapshot> {
    let snapshot = Snapshot::open(&directory.join(StorePaths::INDEX)).ok()?;
    (snapshot.extractor() == engine.classifier.extraction_version()).then_some(snapshot)
}
