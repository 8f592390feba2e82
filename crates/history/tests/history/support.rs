//! A repository that git makes, and the same question put to git and to us.

use orient_history::{Changes, History, HistoryError};
use orient_model::{RepoPath, Stamp};
pub(crate) use orient_testkit::git;
use orient_walk::{WalkOptions, list};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub(crate) struct Made {
    _held: tempfile::TempDir,
    pub(crate) root: PathBuf,
}

impl Made {
    /// An empty repository with `main` checked out.
    pub(crate) fn new() -> Self {
        let held = tempfile::tempdir().expect("a folder");
        let root = held.path().canonicalize().expect("it is there").join("repo");
        std::fs::create_dir(&root).expect("writable");
        let made = Self { _held: held, root };
        made.git(&["init", "-q", "-b", "main"]);
        made
    }

    /// Runs git with nothing of this machine's settings, and gives what it prints.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        git(&self.root, args)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        std::fs::write(path, text).expect("writable");
    }

    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }
}

/// The files of a folder with their stamps, as an index knows them.
pub(crate) fn known(root: &Path) -> Vec<(RepoPath, Stamp)> {
    let listing = list(root, &WalkOptions::default()).expect("it is a folder");
    listing.files.into_iter().map(|entry| (entry.path, entry.stamp)).collect()
}

pub(crate) fn changes(root: &Path, revision: &str) -> Result<Changes, HistoryError> {
    History::open(root)?.changes(revision, &known(root), true)
}

pub(crate) fn paths(root: &Path, revision: &str) -> Vec<String> {
    let changes = changes(root, revision).unwrap_or_else(|error| panic!("{revision}: {error}"));
    changes.keys().map(|path| path.display().into_owned()).collect()
}

/// What git says has changed: tracked files that differ, and files it does not know.
pub(crate) fn by_git(root: &Path, revision: &str) -> Vec<String> {
    let differing = git(root, &["diff", "--name-only", "--no-renames", "--relative", revision]);
    let unknown = git(root, &["ls-files", "--others", "--exclude-standard"]);
    let all: BTreeSet<String> = differing.lines().chain(unknown.lines()).map(str::to_owned).collect();
    all.into_iter().collect()
}

/// Both say the same.
pub(crate) fn agree(root: &Path, revision: &str) -> Vec<String> {
    let ours = paths(root, revision);
    assert_eq!(ours, by_git(root, revision), "since {revision}");
    ours
}
