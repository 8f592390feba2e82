//! The fingerprint of a listing: the stamps of everything that the listing depends on.
//!
//! A directory with an unchanged stamp contains the same names, and an ignore file with an unchanged stamp the same
//! rules. If all directories and all ignore files are unchanged, the same files are listed, and only their own stamps
//! must be compared. A stamp too young to differ from that of a later change never counts as unchanged.

use crate::ignore_rules::EXCLUDE;
use crate::list_files::OWN_IGNORE_FILE;
use crate::nested_repositories::SUBMODULES;
use crate::parallel_chunks::parallel_chunks;
use crate::repository::GitDirs;
use crate::{RootDirectory, path_conversion, stamp};
use orient_model::{RepoPath, Stamp};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Files in any directory that define what is ignored, or which repositories are part of this one.
const IGNORE_FILES: [&str; 5] = [".gitignore", ".ignore", ".rgignore", OWN_IGNORE_FILE, SUBMODULES];

/// Whether a file of this name defines what is ignored in its directory, or where those rules are.
pub fn is_rule_file(name: &[u8]) -> bool {
    name == b".git" || IGNORE_FILES.iter().any(|rule| rule.as_bytes() == name)
}

/// The known state of a source of ignore rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleFileState {
    /// It does not exist.
    Absent,
    /// It exists; its content does not matter.
    Present,
    /// It exists and has this stamp.
    Stamp(Stamp),
}

/// Everything that a listing depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// Every directory that was read, by path.
    pub directories: Vec<(RepoPath, Stamp)>,
    /// Every possible source of ignore rules, existing or not, by path.
    pub rule_files: Vec<(PathBuf, RuleFileState)>,
    /// Files that were skipped because of their size, by path.
    pub oversized: Vec<(RepoPath, Stamp)>,
    /// Whether something could not be read, and may become readable at any time.
    pub incomplete: bool,
}

impl Fingerprint {
    /// Adds a directory that is about to be read, with its ignore files. `now` is when the walk began.
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
                let exclude = git.common_dir.join(EXCLUDE);
                self.rule_files.push((exclude.clone(), rule_file_state(&exclude, now)));
            }
        }
    }

    /// Adds the user's global ignore files of git.
    pub(crate) fn add_global_rule_files(&mut self, now: i64) {
        for file in global_rule_files() {
            let state = rule_file_state(&file, now);
            self.rule_files.push((file, state));
        }
    }

    /// Adds the ignore files of the directories above a root.
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
                let exclude = git.common_dir.join(EXCLUDE);
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

    /// Whether every later change would be detected.
    pub fn is_reliable(&self) -> bool {
        let trusted = |(_, stamp): &(RepoPath, Stamp)| stamp.is_trusted();
        // On other systems, the mtime of a directory need not change with its names.
        cfg!(unix)
            && !self.incomplete
            && self.directories.iter().chain(&self.oversized).all(trusted)
            && self
                .rule_files
                .iter()
                .all(|(_, state)| !matches!(state, RuleFileState::Stamp(stamp) if !stamp.is_trusted()))
    }

    /// Whether all sources of ignore rules are unchanged.
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

/// The user's global ignore files of git, whether they exist or not.
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

/// The current state of a file. If `now` is in the far future, every stamp is trusted. Of a link, the stamp is its target's: the user's own
/// files may be links, and of those in a tree nothing is read.
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
    /// Its path.
    pub path: &'k [u8],
    /// Its stamp.
    pub stamp: Stamp,
    /// The range of its files in the list of files.
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

/// Number of directories that a thread takes at a time.
const AT_ONCE: usize = 64;

/// Whether all directories and files have an unchanged stamp.
pub fn unchanged(
    tree: &RootDirectory,
    directories: &[KnownDirectory<'_>],
    files: &[KnownFile<'_>],
    threads: usize,
) -> bool {
    let same = |directory: &KnownDirectory<'_>| tree.is_unchanged(directory, &files[directory.files.clone()]);
    parallel_chunks(directories, AT_ONCE, threads, |some| some.iter().all(same))
}

/// Whether all directories have an unchanged stamp, and therefore contain the same names.
pub fn directories_unchanged(
    tree: &RootDirectory,
    directories: &[KnownDirectory<'_>],
    threads: usize,
) -> bool {
    let same = |directory: &KnownDirectory<'_>| tree.is_stamped(directory.path, directory.stamp);
    parallel_chunks(directories, AT_ONCE, threads, |some| some.iter().all(same))
}
