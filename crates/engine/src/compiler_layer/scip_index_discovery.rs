//! SCIP indexes in the usual places: where indexers write them by default, in the directory of a project.
//!
//! A place is only looked at, never imported on its own account: the index may come from the repository, and what it says replaces what our
//! rules prove. The caller that imports it has the user's consent.

use crate::{Engine, EngineError, FileQuery, Snapshot};
use orient_model::RepoPath;
use orient_safefs::Directory;
use orient_store::WriteLock;
use orient_walk::to_native;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The name that indexers give to an index.
const NAME: &str = "index.scip";
/// How deep in the tree the directory of a project is looked for.
const MAX_DEPTH: usize = 3;
/// The file in the directory of a tree that says which indexes were imported, and which could not be.
const IMPORTED: &str = "compiler.imported";
/// Maximum size of that file.
const MAX_SIZE: u64 = 1 << 20;

/// An index in a usual place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundIndex {
    /// Its path in the tree.
    pub path: RepoPath,
    /// The same as a path of the system.
    pub file: PathBuf,
    /// Its size and modification time, which another content changes.
    pub stamp: String,
    /// What became of it since it was written.
    pub state: ImportState,
}

/// What became of an index since it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportState {
    /// Nobody imported it yet.
    New,
    /// It was imported.
    Imported,
    /// It could not be imported, for this reason.
    Failed(String),
}

impl Engine {
    /// The indexes in the usual places, by path: in the root, and in directories of indexed files up to three levels below it. A link is
    /// none: it may lead out of the tree.
    pub fn find_scip_indexes(&self, snapshot: &Snapshot) -> Result<Vec<FoundIndex>, EngineError> {
        let query = FileQuery { indexed: Some(true), ..FileQuery::default() };
        let mut directories: BTreeSet<String> = [String::new()].into();
        for file in snapshot.files(&query, 0, usize::MAX)?.rows {
            let Ok(path) = str::from_utf8(file.path.as_bytes()) else { continue };
            let ends = path.match_indices('/').take(MAX_DEPTH).map(|(at, _)| &path[..=at]);
            for directory in ends {
                if !directories.contains(directory) {
                    directories.insert(directory.to_owned());
                }
            }
        }
        let imported = self.imported();
        let mut found = Vec::new();
        for directory in directories {
            let path = RepoPath::from(format!("{directory}{NAME}").as_str());
            let Some(file) = to_native(&path).map(|path| self.repo.root.join(path)) else { continue };
            let Some(stamp) = stamp(&file) else { continue };
            let known = imported.get(&file.display().to_string()).filter(|(known, _)| *known == stamp);
            let state = match known {
                None => ImportState::New,
                Some((_, reason)) if reason.is_empty() => ImportState::Imported,
                Some((_, reason)) => ImportState::Failed(reason.clone()),
            };
            found.push(FoundIndex { path, file, stamp, state });
        }
        Ok(found)
    }

    /// Records that indexes were imported as they are now, or why they could not be.
    pub(super) fn remember_imports(
        &self,
        indexes: &[PathBuf],
        failure: Option<&str>,
    ) -> Result<(), EngineError> {
        let _lock = WriteLock::acquire(&self.paths.tree, |_| true)?;
        let mut imported = self.imported();
        let reason = failure.unwrap_or_default().replace(['\t', '\n'], " ");
        for index in indexes.iter().filter_map(|index| fs::canonicalize(index).ok()) {
            if let Some(stamp) = stamp(&index) {
                imported.insert(index.display().to_string(), (stamp, reason.clone()));
            }
        }
        imported.retain(|index, _| Path::new(index).exists());
        let lines: Vec<String> =
            imported.iter().map(|(index, (stamp, reason))| format!("{stamp}\t{reason}\t{index}\n")).collect();
        let written = self.own_directory()?.replace(IMPORTED, lines.concat().as_bytes());
        Ok(written.map_err(|error| self.unusable(&error))?)
    }

    /// The stamps of imported indexes by path, each with the reason why it could not be imported; empty if it was.
    fn imported(&self) -> BTreeMap<String, (String, String)> {
        let read = || Directory::open(&self.paths.tree).ok()?.read(IMPORTED, MAX_SIZE).ok()?;
        let text = String::from_utf8(read().unwrap_or_default()).unwrap_or_default();
        let entry = |line: &str| {
            let (stamp, rest) = line.split_once('\t')?;
            let (reason, path) = rest.split_once('\t')?;
            Some((path.to_owned(), (stamp.to_owned(), reason.to_owned())))
        };
        text.lines().filter_map(entry).collect()
    }
}

/// Size and modification time of a plain file; `None` if it is none.
fn stamp(file: &Path) -> Option<String> {
    let data = fs::symlink_metadata(file).ok().filter(fs::Metadata::is_file)?;
    let modified = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}:{}", data.len(), modified.as_nanos()))
}
