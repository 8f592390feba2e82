//! What a listing rests on, and whether it still stands.
//!
//! A directory whose times are as they were holds the same names; ignore files whose stamps are as they were say the
//! same. So where all directories and all sources of rules are unchanged, the same files are listed, and only their own
//! stamps need a look. A stamp that is too young to be told apart from a later one never counts as unchanged.

use crate::list_files::OWN_IGNORE_FILE;
use crate::nested_repositories::SUBMODULES;
use crate::parallel_chunks::parallel_chunks;
use crate::repository::GitDirs;
use crate::{RootDirectory, path_conversion, stamp};
use orient_model::{RepoPath, Stamp};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Files that say what is ignored, or which repositories are part of this one, in any directory.
const IGNORE_FILES: [&str; 5] = [".gitignore", ".ignore", ".rgignore", OWN_IGNORE_FILE, SUBMODULES];

/// Whether something of this name says what is ignored in the directory it is in, or where to find what says so.
pub fn is_rule_file(name: &[u8]) -> bool {
    name == b".git" || IGNORE_FILES.iter().any(|rule| rule.as_bytes() == name)
}

/// What is remembered of a file that says what is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleFileState {
    /// There was none.
    Absent,
    /// There was one, and that is all that counts.
    Present,
    /// There was one with this stamp.
    Stamp(Stamp),
}

/// What a listing rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// Every directory that was read, by path.
    pub directories: Vec<(RepoPath, Stamp)>,
    /// Every source of rules there is or could be, by path.
    pub rule_files: Vec<(PathBuf, RuleFileState)>,
    /// Files that were skipped for their size, by path.
    pub oversized: Vec<(RepoPath, Stamp)>,
    /// Whether something could not be read, and may be readable at any moment.
    pub incomplete: bool,
}

impl Fingerprint {
    /// Notes a directory that is about to be read, with the rules in it. `now` is when the walk began.
    pub(crate) fn add_directory(&mut self, root: &Path, directory: &Path, now: i64) {
        let Some(path) = path_conversion::from_native(root, directory) else { return };
        match directory.symlink_metadata() {
            Ok(metadata) => self.directories.push((path, stamp::trusted_at(stamp::of(&metadata), now))),
            Err(_) => self.incomplete = true,
        }
        for name in IGNORE_FILES {
            let file = directory.join(name);
            if let state @ (RuleFileState::Present | RuleFileState::Stamp(_)) = rule_file_state(&file, now) {
                self.rule_files.push((file, state));
            }
        }
        let dot_git = directory.join(".git");
        if dot_git.symlink_metadata().is_ok() {
            self.rule_files.push((dot_git.clone(), RuleFileState::Present));
            if let Some(git) = GitDirs::of(&dot_git) {
                let exclude = git.common_dir.join("info/exclude");
                self.rule_files.push((exclude.clone(), rule_file_state(&exclude, now)));
            }
        }
    }

    /// Notes where git keeps rules for all repositories of the user.
    pub(crate) fn add_global_rule_files(&mut self, now: i64) {
        for file in global_rule_files() {
            let state = rule_file_state(&file, now);
            self.rule_files.push((file, state));
        }
    }

    /// Notes the rules in the directories above a root.
    pub(crate) fn add_parents(&mut self, root: &Path, now: i64) {
        for directory in root.ancestors().skip(1) {
            for name in IGNORE_FILES {
                let file = directory.join(name);
                let state = rule_file_state(&file, now);
                self.rule_files.push((file, state));
            }
            let dot_git = directory.join(".git");
            let there = if dot_git.symlink_metadata().is_ok() {
                RuleFileState::Present
            } else {
                RuleFileState::Absent
            };
            if let Some(git) = GitDirs::of(&dot_git) {
                let exclude = git.common_dir.join("info/exclude");
                self.rule_files.push((exclude.clone(), rule_file_state(&exclude, now)));
            }
            self.rule_files.push((dot_git, there));
        }
    }

    pub(crate) fn append(&mut self, other: &mut Self) {
        self.directories.append(&mut other.directories);
        self.rule_files.append(&mut other.rule_files);
        self.oversized.append(&mut other.oversized);
        self.incomplete |= other.incomplete;
    }

    pub(crate) fn sort(&mut self) {
        self.directories.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        self.rule_files.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        self.oversized.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    }

    /// Whether nothing in it can change without being noticed.
    pub fn is_reliable(&self) -> bool {
        let trusted = |(_, stamp): &(RepoPath, Stamp)| stamp.is_trusted();
        // Elsewhere directories do not promise to change their times with their names.
        cfg!(unix)
            && !self.incomplete
            && self.directories.iter().chain(&self.oversized).all(trusted)
            && self
                .rule_files
                .iter()
                .all(|(_, state)| !matches!(state, RuleFileState::Stamp(stamp) if !stamp.is_trusted()))
    }

    /// Whether all sources of rules are as they were.
    pub fn rule_files_unchanged(&self) -> bool {
        self.rule_files.iter().all(|(file, was)| {
            let is = rule_file_state(file, i64::MAX);
            match was {
                RuleFileState::Absent => is == RuleFileState::Absent,
                RuleFileState::Present => is != RuleFileState::Absent,
                RuleFileState::Stamp(stamp) => stamp.is_trusted() && is == RuleFileState::Stamp(*stamp),
            }
        })
    }
}

/// Where git keeps rules for all repositories of the user: the files it would read, whether they are there or not.
pub fn global_rule_files() -> Vec<PathBuf> {
    let home = std::env::home_dir();
    let config = std::env::var_os("XDG_CONFIG_HOME")
        .filter(|directory| !directory.is_empty())
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
fn rule_file_state(file: &Path, now: i64) -> RuleFileState {
    match file.metadata() {
        Ok(metadata) if now == i64::MAX => RuleFileState::Stamp(stamp::of(&metadata)),
        Ok(metadata) => RuleFileState::Stamp(stamp::trusted_at(stamp::of(&metadata), now)),
        Err(_) => RuleFileState::Absent,
    }
}

/// A directory whose stamp is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownDirectory<'k> {
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
    /// Its name in its directory.
    pub name: &'k [u8],
    /// Its stamp.
    pub stamp: Stamp,
}

/// How many directories a thread takes at once.
const AT_ONCE: usize = 64;

/// Whether all directories and files have the stamps they had.
pub fn unchanged(
    tree: &RootDirectory,
    directories: &[KnownDirectory<'_>],
    files: &[KnownFile<'_>],
    threads: usize,
) -> bool {
    let same = |directory: &KnownDirectory<'_>| tree.is_unchanged(directory, &files[directory.files.clone()]);
    parallel_chunks(directories, AT_ONCE, threads, |some| some.iter().all(same))
}

/// Whether all directories have the stamps they had: then they hold the same names.
pub fn directories_unchanged(
    tree: &RootDirectory,
    directories: &[KnownDirectory<'_>],
    threads: usize,
) -> bool {
    let same = |directory: &KnownDirectory<'_>| tree.is_stamped(directory.path, directory.stamp);
    parallel_chunks(directories, AT_ONCE, threads, |some| some.iter().all(same))
}
