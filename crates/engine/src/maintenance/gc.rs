//! Garbage collection of the store: indexes of deleted trees, unused cache entries, free space inside database files.

use crate::clock::today;
use crate::extraction::Language;
use crate::maintenance::stored_trees::remove_excess;
use crate::remote_embeddings::key_of;
use crate::store_paths::{
    StorePaths, bytes_of_database, bytes_of_directory, directories, remove_directory, root_of,
};
use crate::{Engine, EngineError};
use orient_model::ContentHash;
use orient_store::{Cache, CacheKey, Snapshot, StoreError, WriteLock, Writer};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// An index is vacuumed if at least one part in this many is free space.
const FREE_FRACTION: u64 = 5;

/// What to collect.
#[derive(Clone, Copy, Debug)]
pub struct GcOptions {
    /// Only report what would be done.
    pub dry_run: bool,
    /// Days to keep unused facts after their last use, because another branch may need them.
    pub keep_days: u32,
}

impl Default for GcOptions {
    fn default() -> Self {
        Self { dry_run: false, keep_days: 14 }
    }
}

/// What was removed, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GcReport {
    /// Deleted trees whose indexes were removed.
    pub trees: Vec<PathBuf>,
    /// Number of indexes of commits that were removed because they exceed `store.commits`.
    pub commits: u64,
    /// Cached facts that no index uses.
    pub facts: u64,
    /// Vectors of remote models for texts that no index contains.
    pub vectors: u64,
    /// Bytes freed; an estimate for a dry run.
    pub bytes: u64,
    /// Directories skipped because another process was writing there.
    pub busy: Vec<PathBuf>,
}

impl Engine {
    /// Collects garbage in the whole store, across all repositories.
    pub fn gc(&self, options: GcOptions) -> Result<GcReport, EngineError> {
        let mut collected = GcReport::default();
        for repository in directories(&self.paths.store)? {
            let commit_limit = self.settings.store.commits.bytes();
            RepositoryGc { repository: &repository, options, commit_limit, collected: &mut collected }
                .run()?;
        }
        Ok(collected)
    }
}

/// Garbage collection of one repository's directory.
struct RepositoryGc<'c> {
    repository: &'c Path,
    options: GcOptions,
    /// Maximum size of the indexes of commits.
    commit_limit: u64,
    collected: &'c mut GcReport,
}

impl RepositoryGc<'_> {
    fn run(&mut self) -> Result<(), EngineError> {
        let (commits, bytes) = remove_excess(self.repository, self.commit_limit, None, self.options.dry_run);
        self.collected.commits += commits;
        self.collected.bytes += bytes;
        let mut living = Vec::new();
        let mut dead = 0;
        for tree in directories(self.repository)? {
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
        living.iter().try_for_each(|tree| self.vacuum(tree))
    }

    /// Removes the index of a deleted tree; false if another process holds it.
    fn remove_tree(&mut self, tree: &Path, root: PathBuf) -> Result<bool, EngineError> {
        if !self.is_free(tree)? {
            return Ok(false);
        }
        self.collected.bytes += bytes_of_directory(tree);
        self.collected.trees.push(root);
        if !self.options.dry_run {
            remove_directory(tree)?;
        }
        Ok(true)
    }

    fn remove_repository(&mut self) -> Result<(), EngineError> {
        let cache = self.repository.join(StorePaths::CACHE);
        self.collected.facts += Cache::open(&cache).entries();
        self.collected.bytes += bytes_of_database(&cache);
        if !self.options.dry_run {
            remove_directory(self.repository)?;
        }
        Ok(())
    }

    fn prune(&mut self, trees: &[PathBuf]) -> Result<(), EngineError> {
        let path = self.repository.join(StorePaths::CACHE);
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

    /// Vacuums an index with much free space.
    fn vacuum(&mut self, tree: &Path) -> Result<(), EngineError> {
        let index = tree.join(StorePaths::INDEX);
        let Ok(sizes) = Snapshot::open(&index).and_then(|snapshot| snapshot.sizes()) else { return Ok(()) };
        if sizes.free < sizes.bytes / FREE_FRACTION || sizes.free == 0 {
            return Ok(());
        }
        if !self.options.dry_run {
            let Some(lock) = WriteLock::try_acquire(tree)? else {
                self.collected.busy.push(tree.to_owned());
                return Ok(());
            };
            match Writer::open(&index, &lock).and_then(|mut writer| writer.vacuum()) {
                // The next query on that tree rebuilds it.
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

/// The cache entries that indexes use.
#[derive(Default)]
struct UsedEntries {
    facts: HashSet<CacheKey>,
    /// Keys of the embedding texts of their files.
    texts: HashSet<ContentHash>,
}

/// The cache entries that these trees use; `None` if an index cannot be read.
fn used_by(trees: &[PathBuf]) -> Result<Option<UsedEntries>, EngineError> {
    let mut used = UsedEntries::default();
    for tree in trees {
        let snapshot = match Snapshot::open(&tree.join(StorePaths::INDEX)) {
            Ok(snapshot) => snapshot,
            Err(StoreError::Missing { .. }) => continue,
            Err(_) => return Ok(None),
        };
        let read = snapshot.each_file(|file| {
            let language = Language::of(file.language.as_deref(), &file.path);
            used.texts.extend(key_of(&file));
            used.facts.extend(
                file.hash.map(|hash| CacheKey::new(hash, Language::version_of(language, &file.path))),
            );
        });
        match read {
            Err(StoreError::Damaged { .. }) => return Ok(None),
            read => read?,
        }
    }
    Ok(Some(used))
}
