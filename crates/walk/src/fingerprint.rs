//! What a listing rests on, and whether it still stands.
//!
//! A folder whose times are as they were holds the same names; ignore files whose stamps are as they were say the same.
//! So where all folders and all sources of rules are unchanged, the same files are listed, and only their own stamps
//! need a look. A stamp that is too young to be told apart from a later one never counts as unchanged.

use crate::list_files::OWN_IGNORE_FILE;
use crate::nested_repositories::SUBMODULES;
use crate::parallel_chunks::in_pieces;
use crate::repository::GitDirs;
use crate::{Tree, path_conversion, stamp};
use orient_model::{RepoPath, Stamp};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Files that say what is ignored, or which repositories are part of this one, in any folder.
const IGNORE_FILES: [&str; 5] = [".gitignore", ".ignore", ".rgignore", OWN_IGNORE_FILE, SUBMODULES];

/// Whether something of this name says what is ignored in the folder it is in, or where to find what says so.
pub fn is_rule(name: &[u8]) -> bool {
    name == b".git" || IGNORE_FILES.iter().any(|rule| rule.as_bytes() == name)
}

/// What is remembered of a file that says what is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// There was none.
    Absent,
    /// There was one, and that is all that counts.
    Present,
    /// There was one with this stamp.
    Stamp(Stamp),
}

/// What a listing rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ground {
    /// Every folder that was read, by path.
    pub folders: Vec<(RepoPath, Stamp)>,
    /// Every source of rules there is or could be, by path.
    pub sources: Vec<(PathBuf, Mark)>,
    /// Files that were skipped for their size, by path.
    pub large: Vec<(RepoPath, Stamp)>,
    /// Whether something could not be read, and may be readable at any moment.
    pub shaky: bool,
}

impl Ground {
    /// Notes a folder that is about to be read, with the rules in it. `now` is when the walk began.
    pub(crate) fn enter(&mut self, root: &Path, folder: &Path, now: i64) {
        let Some(path) = path_conversion::from_native(root, folder) else { return };
        match folder.symlink_metadata() {
            Ok(metadata) => self.folders.push((path, stamp::trusted_at(stamp::of(&metadata), now))),
            Err(_) => self.shaky = true,
        }
        for name in IGNORE_FILES {
            let file = folder.join(name);
            if let mark @ (Mark::Present | Mark::Stamp(_)) = mark(&file, now) {
                self.sources.push((file, mark));
            }
        }
        let dot_git = folder.join(".git");
        if dot_git.symlink_metadata().is_ok() {
            self.sources.push((dot_git.clone(), Mark::Present));
            if let Some(git) = GitDirs::of(&dot_git) {
                let exclude = git.common_dir.join("info/exclude");
                self.sources.push((exclude.clone(), mark(&exclude, now)));
            }
        }
    }

    /// Notes where git keeps rules for all repositories of the user.
    pub(crate) fn enter_machine(&mut self, now: i64) {
        for file in machine_sources() {
            let mark = mark(&file, now);
            self.sources.push((file, mark));
        }
    }

    /// Notes the rules in the folders above a root.
    pub(crate) fn enter_parents(&mut self, root: &Path, now: i64) {
        for folder in root.ancestors().skip(1) {
            for name in IGNORE_FILES {
                let file = folder.join(name);
                let mark = mark(&file, now);
                self.sources.push((file, mark));
            }
            let dot_git = folder.join(".git");
            let there = if dot_git.symlink_metadata().is_ok() { Mark::Present } else { Mark::Absent };
            if let Some(git) = GitDirs::of(&dot_git) {
                let exclude = git.common_dir.join("info/exclude");
                self.sources.push((exclude.clone(), mark(&exclude, now)));
            }
            self.sources.push((dot_git, there));
        }
    }

    pub(crate) fn append(&mut self, other: &mut Self) {
        self.folders.append(&mut other.folders);
        self.sources.append(&mut other.sources);
        self.large.append(&mut other.large);
        self.shaky |= other.shaky;
    }

    pub(crate) fn sort(&mut self) {
        self.folders.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        self.sources.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        self.large.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    }

    /// Whether nothing in it can change without being noticed.
    pub fn is_firm(&self) -> bool {
        let trusted = |(_, stamp): &(RepoPath, Stamp)| stamp.is_trusted();
        // Elsewhere folders do not promise to change their times with their names.
        cfg!(unix)
            && !self.shaky
            && self.folders.iter().chain(&self.large).all(trusted)
            && self.sources.iter().all(|(_, mark)| !matches!(mark, Mark::Stamp(stamp) if !stamp.is_trusted()))
    }

    /// Whether all sources of rules are as they were.
    pub fn sources_stand(&self) -> bool {
        self.sources.iter().all(|(file, was)| {
            let is = mark(file, i64::MAX);
            match was {
                Mark::Absent => is == Mark::Absent,
                Mark::Present => is != Mark::Absent,
                Mark::Stamp(stamp) => stamp.is_trusted() && is == Mark::Stamp(*stamp),
            }
        })
    }
}

/// Where git keeps rules for all repositories of the user: the files it would read, whether they are there or not.
pub fn machine_sources() -> Vec<PathBuf> {
    let home = std::env::home_dir();
    let config = std::env::var_os("XDG_CONFIG_HOME")
        .filter(|folder| !folder.is_empty())
        .map(PathBuf::from)
        .or_else(|| Some(home.as_ref()?.join(".config")));
    let mut files: Vec<PathBuf> = home.into_iter().map(|home| home.join(".gitconfig")).collect();
    for name in ["git/config", "git/ignore"] {
        files.extend(config.iter().map(|config| config.join(name)));
    }
    files.extend(ignore::gitignore::gitconfig_excludes_path());
    files.sort_unstable();
    files.dedup();
    files
}

/// What a file is now; with `now` in the far future its stamp is taken as it is.
fn mark(file: &Path, now: i64) -> Mark {
    match file.metadata() {
        Ok(metadata) if now == i64::MAX => Mark::Stamp(stamp::of(&metadata)),
        Ok(metadata) => Mark::Stamp(stamp::trusted_at(stamp::of(&metadata), now)),
        Err(_) => Mark::Absent,
    }
}

/// A folder whose stamp is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFolder<'k> {
    /// Where it is.
    pub path: &'k [u8],
    /// Its stamp.
    pub stamp: Stamp,
    /// The places of its files in their list.
    pub files: Range<usize>,
}

/// A file whose stamp is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownFile<'k> {
    /// Its name in its folder.
    pub name: &'k [u8],
    /// Its stamp.
    pub stamp: Stamp,
}

/// How many folders a thread takes at once.
const AT_ONCE: usize = 64;

/// Whether all folders and files have the stamps they had.
pub fn unchanged(tree: &Tree, folders: &[KnownFolder<'_>], files: &[KnownFile<'_>], threads: usize) -> bool {
    let same = |folder: &KnownFolder<'_>| tree.is_unchanged(folder, &files[folder.files.clone()]);
    in_pieces(folders, AT_ONCE, threads, |some| some.iter().all(same))
}

/// Whether all folders have the stamps they had: then they hold the same names.
pub fn folders_unchanged(tree: &Tree, folders: &[KnownFolder<'_>], threads: usize) -> bool {
    let same = |folder: &KnownFolder<'_>| tree.is_stamped(folder.path, folder.stamp);
    in_pieces(folders, AT_ONCE, threads, |some| some.iter().all(same))
}
