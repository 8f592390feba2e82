//! What a watcher needs of a tree: the directories to observe, the ignore files outside them, and open databases.

use crate::{Engine, EngineError};
use orient_model::RepoPath;
use orient_store::Anchor;
use orient_walk::{Ground, Listing, Region, is_rule, list, list_region, machine_sources};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The directories to watch, and the ignore files outside them.
#[derive(Clone, Debug, Default)]
pub struct WatchScope {
    /// The directories, by path, without ignored ones.
    pub folders: Vec<RepoPath>,
    /// The ignore files outside these directories.
    pub rules: ExternalIgnoreFiles,
}

/// Ignore files outside the watched directories: the user's own, and those inside `.git`.
#[derive(Clone, Debug, Default)]
pub struct ExternalIgnoreFiles(Ground);

impl ExternalIgnoreFiles {
    /// Whether all of them are unchanged.
    pub fn are_unchanged(&self) -> bool {
        let known: BTreeSet<&Path> = self.0.sources.iter().map(|(path, _)| path.as_path()).collect();
        machine_sources().iter().all(|source| known.contains(source.as_path())) && self.0.sources_stand()
    }

    /// Adds those of another scope.
    pub fn extend(&mut self, other: Self) {
        let known: BTreeSet<PathBuf> = self.0.sources.iter().map(|(path, _)| path.clone()).collect();
        self.0.sources.extend(other.0.sources.into_iter().filter(|(path, _)| !known.contains(path)));
    }
}

/// Open connections to the databases of an engine. A process that refreshes often holds them, because closing the
/// last connection waits for the disk.
pub struct OpenDatabases {
    _open: [Option<Anchor>; 2],
}

impl Engine {
    /// Keeps the current databases open; a rebuilt index is another file.
    pub fn keep_open(&self) -> OpenDatabases {
        OpenDatabases { _open: [self.paths.index(), self.paths.cache()].map(|path| Anchor::hold(&path)) }
    }

    /// Checkpoints the databases: moves committed pages from the WAL. Takes time and changes nothing for readers.
    pub fn checkpoint(&self) {
        for path in [self.paths.index(), self.paths.cache()] {
            orient_store::move_log(&path);
        }
    }

    /// The directories to watch, in a part of the tree or in all of it.
    pub fn watch_scope(&self, region: Option<&Region>) -> Result<WatchScope, EngineError> {
        let options = self.walk_options();
        let Listing { ground, .. } = match region {
            Some(region) => list_region(&self.repo.root, &options, region)?,
            None => list(&self.repo.root, &options)?,
        };
        let entered: BTreeSet<PathBuf> = ground
            .folders
            .iter()
            .map(|(path, _)| {
                orient_walk::to_native(path)
                    .map_or_else(|| self.repo.root.clone(), |p| self.repo.root.join(p))
            })
            .collect();
        let outside = |path: &Path| !path.parent().is_some_and(|folder| entered.contains(folder));
        let sources = ground.sources.into_iter().filter(|(path, _)| outside(path)).collect();
        let folders = ground.folders.into_iter().map(|(path, _)| path);
        Ok(WatchScope {
            folders: folders.filter(|path| region.is_none_or(|region| region.contains(path))).collect(),
            rules: ExternalIgnoreFiles(Ground { sources, ..Ground::default() }),
        })
    }

    /// Messages about ignore files and settings that were truncated because they have too many patterns.
    pub fn truncated_ignore_rules(&self, snapshot: &crate::Snapshot) -> Result<Vec<String>, EngineError> {
        let mut files = machine_sources();
        files.extend(self.repo.git.as_ref().map(|git| git.common_dir.join("info/exclude")));
        snapshot.store.each_file(|file| {
            let name = file.path.as_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            let native = orient_walk::to_native(&file.path).filter(|_| is_rule(name));
            files.extend(native.map(|path| self.repo.root.join(path)));
        })?;
        let cut = orient_walk::cut_rules(&self.repo.root, files, &self.settings.index.exclude)?;
        Ok(cut.iter().map(ToString::to_string).collect())
    }
}
