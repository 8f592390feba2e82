//! Giving back what nobody needs: indexes of trees that are gone, facts no index uses, space inside the files.

use crate::extraction::Language;
use crate::refresh::facts_batch::today;
use crate::remote_embeddings::key_of;
use crate::store_paths::{Place, is_keyed, root_of};
use crate::{Engine, EngineError};
use orient_model::ContentHash;
use orient_safefs::Directory;
use orient_store::{Cache, CacheKey, Snapshot, StoreError, WriteLock, Writer};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// An index is packed anew once this part of it is free space.
const WORTH_PACKING: u64 = 5;

/// What to give back.
#[derive(Clone, Copy, Debug)]
pub struct GcOptions {
    /// Only say what would be done.
    pub dry_run: bool,
    /// Facts that no index uses stay for so many days after their last use: another branch may want them.
    pub keep_days: u32,
}

impl Default for GcOptions {
    fn default() -> Self {
        Self { dry_run: false, keep_days: 14 }
    }
}

/// What was given back, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Trees that are gone, whose indexes went too.
    pub trees: Vec<PathBuf>,
    /// Remembered facts that nobody uses.
    pub facts: u64,
    /// Vectors of other models for texts that stand nowhere any more.
    pub vectors: u64,
    /// Bytes given back; an estimate where nothing was done.
    pub bytes: u64,
    /// Folders left alone since another process was writing there.
    pub busy: Vec<PathBuf>,
}

impl Engine {
    /// Cleans up the whole store, of all repositories.
    pub fn gc(&self, options: GcOptions) -> Result<Collected, EngineError> {
        let mut collected = Collected::default();
        for repository in folders(&self.place.store)? {
            Collection { repository: &repository, options, collected: &mut collected }.run()?;
        }
        Ok(collected)
    }
}

/// The clean-up of one repository's folder.
struct Collection<'c> {
    repository: &'c Path,
    options: GcOptions,
    collected: &'c mut Collected,
}

impl Collection<'_> {
    fn run(&mut self) -> Result<(), EngineError> {
        let mut living = Vec::new();
        let mut dead = 0;
        for tree in folders(self.repository)? {
            let Some(root) = root_of(&tree) else { continue };
            if root.is_dir() {
                living.push(tree);
            } else if self.remove_tree(&tree, root)? {
                dead += 1;
            } else {
                living.push(tree);
            }
        }
        if living.is_empty() {
            return if dead > 0 { self.remove_repository() } else { Ok(()) };
        }
        self.prune(&living)?;
        living.iter().try_for_each(|tree| self.pack(tree))
    }

    /// Removes the index of a tree that is gone; false where another process holds it.
    fn remove_tree(&mut self, tree: &Path, root: PathBuf) -> Result<bool, EngineError> {
        if !self.is_free(tree)? {
            return Ok(false);
        }
        self.collected.bytes += bytes_of_folder(tree);
        self.collected.trees.push(root);
        if !self.options.dry_run {
            remove_folder(tree)?;
        }
        Ok(true)
    }

    fn remove_repository(&mut self) -> Result<(), EngineError> {
        let cache = self.repository.join(Place::CACHE);
        self.collected.facts += Cache::open(&cache).entries();
        self.collected.bytes += bytes_of_database(&cache);
        if !self.options.dry_run {
            remove_folder(self.repository)?;
        }
        Ok(())
    }

    fn prune(&mut self, trees: &[PathBuf]) -> Result<(), EngineError> {
        let path = self.repository.join(Place::CACHE);
        let Some(used) = used_by(trees)? else { return Ok(()) };
        if !path.exists() {
            return Ok(());
        }
        let oldest = today().saturating_sub(self.options.keep_days);
        let mut cache = Cache::open(&path);
        let before = cache.bytes();
        let dry = self.options.dry_run;
        self.collected.vectors += cache.prune_embedded(oldest, dry, |file| used.texts.contains(file));
        let (entries, bytes) = (cache.entries(), cache.bytes());
        self.collected.bytes += before.saturating_sub(bytes);
        let mut unused = 0;
        let pruned = cache.prune(|key, day| {
            let keep = used.facts.contains(key) || day >= oldest;
            unused += u64::from(!keep);
            keep || self.options.dry_run
        });
        self.collected.facts += unused;
        let estimate = bytes * unused / entries.max(1);
        self.collected.bytes += if self.options.dry_run { estimate } else { pruned.bytes };
        Ok(())
    }

    /// Packs an index that has much free space.
    fn pack(&mut self, tree: &Path) -> Result<(), EngineError> {
        let index = tree.join(Place::INDEX);
        let Ok(sizes) = Snapshot::open(&index).and_then(|snapshot| snapshot.sizes()) else { return Ok(()) };
        if sizes.free < sizes.bytes / WORTH_PACKING || sizes.free == 0 {
            return Ok(());
        }
        if !self.options.dry_run {
            let Some(lock) = WriteLock::try_acquire(tree)? else {
                self.collected.busy.push(tree.to_owned());
                return Ok(());
            };
            match Writer::open(&index, &lock).and_then(|mut writer| writer.vacuum()) {
                // Whoever asks about that tree next makes it anew.
                Err(StoreError::Damaged { .. }) => return Ok(()),
                done => done?,
            }
        }
        self.collected.bytes += sizes.free;
        Ok(())
    }

    fn is_free(&mut self, tree: &Path) -> Result<bool, EngineError> {
        let free = match WriteLock::try_acquire(tree) {
            Ok(lock) => lock.is_some(),
            Err(StoreError::Unusable { .. }) => self.options.dry_run,
            Err(error) => return Err(error.into()),
        };
        if !free {
            self.collected.busy.push(tree.to_owned());
        }
        Ok(free)
    }
}

/// What indexes need of the cache.
#[derive(Default)]
struct Used {
    facts: HashSet<CacheKey>,
    /// What the texts of their files are known by.
    texts: HashSet<ContentHash>,
}

/// What the indexes of these trees are made of; none where one of them cannot be asked.
fn used_by(trees: &[PathBuf]) -> Result<Option<Used>, EngineError> {
    let mut used = Used::default();
    for tree in trees {
        let snapshot = match Snapshot::open(&tree.join(Place::INDEX)) {
            Ok(snapshot) => snapshot,
            Err(StoreError::Missing { .. }) => continue,
            Err(_) => return Ok(None),
        };
        let read = snapshot.each_file(|file| {
            let language = Language::of(file.language.as_deref(), &file.path);
            used.texts.extend(key_of(&file));
            used.facts.extend(file.hash.map(|hash| CacheKey::new(hash, Language::version(language))));
        });
        match read {
            Err(StoreError::Damaged { .. }) => return Ok(None),
            read => read?,
        }
    }
    Ok(Some(used))
}

/// Removes a folder with all that is in it, through the folder around it: nothing is removed behind a link.
fn remove_folder(path: &Path) -> io::Result<()> {
    let around = Directory::shared(path.parent().unwrap_or(path))?;
    let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| around.descriptor_path(name));
    fs::remove_dir_all(name.as_deref().unwrap_or(path))
}

/// The folders in a folder that have names of ours, sorted; none where that is not there.
fn folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() && entry.file_name().to_str().is_some_and(is_keyed) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// The size of a database with the files beside it.
pub(crate) fn bytes_of_database(path: &Path) -> u64 {
    ["", "-wal", "-shm"]
        .iter()
        .filter_map(|suffix| {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            fs::metadata(name).ok()
        })
        .map(|metadata| metadata.len())
        .sum()
}

fn bytes_of_folder(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}
