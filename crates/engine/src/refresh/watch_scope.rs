//! What a watcher needs of a tree: the directories to observe, the ignore files outside them, and open databases.

use crate::{Engine, EngineError};
use orient_model::RepoPath;
use orient_store::KeepAlive;
use orient_walk::{Fingerprint, Listing, Subtrees, global_rule_files, is_rule_file};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The directories to watch, and the ignore files outside them.
#[derive(Clone, Debug, Default)]
pub struct WatchScope {
    /// The directories, by path, without ignored ones.
    pub directories: Vec<RepoPath>,
    /// The ignore files outside these directories.
    pub rules: ExternalIgnoreFiles,
}

/// Ignore files outside the watched directories: the user's own, and those inside `.git`.
#[derive(Clone, Debug, Default)]
pub struct ExternalIgnoreFiles(Fingerprint);

impl ExternalIgnoreFiles {
    /// Whether all of them are unchanged.
    pub fn are_unchanged(&self) -> bool {
        let known: BTreeSet<&Path> = self.0.rule_files.iter().map(|(path, _)| path.as_path()).collect();
        global_rule_files().iter().all(|source| known.contains(source.as_path()))
            && self.0.rule_files_unchanged()
    }

    /// Adds those of another scope.
    pub fn extend(&mut self, other: Self) {
        let known: BTreeSet<PathBuf> = self.0.rule_files.iter().map(|(path, _)| path.clone()).collect();
        self.0.rule_files.extend(other.0.rule_files.into_iter().filter(|(path, _)| !known.contains(path)));
    }
}

/// Open connections to the databases of an engine. A process that refreshes often holds them, because closing the
/// last connection waits for the disk.
pub struct OpenDatabases {
    _open: [Option<KeepAlive>; 2],
}

impl Engine {
    /// Keeps the current databases open; a rebuilt index is another file.
    pub fn keep_open(&self) -> OpenDatabases {
        OpenDatabases { _open: [self.paths.index(), self.paths.cache()].map(|path| KeepAlive::hold(&path)) }
    }

    /// Checkpoints the databases: moves committed pages from the WAL. Takes time and changes nothing for readers.
    pub fn checkpoint(&self) {
        for path in [self.paths.index(), self.paths.cache()] {
            orient_store::checkpoint_wal(&path);
        }
    }

    /// The directories to watch, in a part of the tree or in all of it.
    pub fn watch_scope(&self, region: Option<&Subtrees>) -> Result<WatchScope, EngineError> {
        let options = self.walk_options();
        let Listing { fingerprint, .. } = self.tree.list(&options, region)?;
        let entered: BTreeSet<PathBuf> = fingerprint
            .directories
            .iter()
            .map(|(path, _)| {
                orient_walk::to_native(path)
                    .map_or_else(|| self.repo.root.clone(), |p| self.repo.root.join(p))
            })
            .collect();
        let outside = |path: &Path| !path.parent().is_some_and(|directory| entered.contains(directory));
        let sources = fingerprint.rule_files.into_iter().filter(|(path, _)| outside(path)).collect();
        let directories = fingerprint.directories.into_iter().map(|(path, _)| path);
        Ok(WatchScope {
            directories: directories
                .filter(|path| region.is_none_or(|region| region.contains(path)))
                .collect(),
            rules: ExternalIgnoreFiles(Fingerprint { rule_files: sources, ..Fingerprint::default() }),
        })
    }

    /// Messages about ignore files and settings that were truncated because they have too many patterns.
    pub fn truncated_ignore_rules(&self, snapshot: &crate::Snapshot) -> Result<Vec<String>, EngineError> {
        let mut files = global_rule_files();
        files.extend(self.repo.git.as_ref().map(|git| git.common_dir.join("info/exclude")));
        snapshot.store.each_file(|file| {
            let name = file.path.as_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            let native = orient_walk::to_native(&file.path).filter(|_| is_rule_file(name));
            files.extend(native.map(|path| self.repo.root.join(path)));
        })?;
        let cut = orient_walk::cut_rules(&self.repo.root, files, &self.settings.index.exclude)?;
        Ok(cut.iter().map(ToString::to_string).collect())
    }
}
