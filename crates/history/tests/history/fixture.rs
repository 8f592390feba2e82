//! A temporary git repository, and comparisons of our changes with those of git.

use orient_history::{Changes, History, HistoryError};
use orient_model::{RepoPath, Stamp};
pub(crate) use orient_testkit::git;
use orient_walk::{WalkOptions, list};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) struct TestRepo {
    _dir: tempfile::TempDir,
    pub(crate) root: PathBuf,
}

impl TestRepo {
    /// An empty repository with `main` checked out.
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let root = dir.path().canonicalize().expect("it is there").join("repo");
        std::fs::create_dir(&root).expect("writable");
        let repo = Self { _dir: dir, root };
        repo.git(&["init", "-q", "-b", "main"]);
        repo
    }

    /// Runs git without this machine's configuration and returns its output.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        git(&self.root, args)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
        std::fs::write(path, text).expect("writable");
    }

    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// Adds a history in one process, without touching the working tree.
    pub(crate) fn import(&self, stream: &Stream) {
        let mut git = Command::new("git")
            .args(["fast-import", "--quiet", "--force"])
            .current_dir(&self.root)
            .stdin(Stdio::piped())
            .spawn()
            .expect("git is installed");
        git.stdin.take().expect("a pipe").write_all(&stream.bytes).expect("git reads it");
        assert!(git.wait().expect("it ends").success());
    }
}

/// A history in the format of `git fast-import`. Commits are a minute apart.
#[derive(Default)]
pub(crate) struct Stream {
    pub(crate) bytes: Vec<u8>,
    commits: u32,
    marks: u32,
}

impl Stream {
    /// Adds a commit to a branch and returns its mark. Files are changed as compared with the first parent.
    pub(crate) fn commit(&mut self, branch: &str, parents: &[u32], files: &str) -> u32 {
        self.commits += 1;
        let time = 1_500_000_000 + 60 * self.commits;
        self.signed_commit(branch, parents, &format!("A <a@b> {time} +0000"), b"a change\n", files)
    }

    /// Adds a commit with its own signature and message.
    pub(crate) fn signed_commit(
        &mut self,
        branch: &str,
        parents: &[u32],
        signature: &str,
        message: &[u8],
        files: &str,
    ) -> u32 {
        self.marks += 1;
        let mark = self.marks;
        let header = format!(
            "commit refs/heads/{branch}\nmark :{mark}\ncommitter {signature}\ndata {}\n",
            message.len()
        );
        self.bytes.extend_from_slice(header.as_bytes());
        self.bytes.extend_from_slice(message);
        for (at, parent) in parents.iter().enumerate() {
            let word = if at == 0 { "from" } else { "merge" };
            self.bytes.extend_from_slice(format!("{word} :{parent}\n").as_bytes());
        }
        self.bytes.extend_from_slice(format!("{files}\n").as_bytes());
        mark
    }
}

/// The files of a directory with their stamps, as an index has them.
pub(crate) fn indexed_files(root: &Path) -> Vec<(RepoPath, Stamp)> {
    let listing = list(root, &WalkOptions::default()).expect("a directory");
    listing.files.into_iter().map(|entry| (entry.path, entry.stamp)).collect()
}

pub(crate) fn changes(root: &Path, revision: &str) -> Result<Changes, HistoryError> {
    History::open(root)?.changes(revision, &indexed_files(root), true)
}

pub(crate) fn paths(root: &Path, revision: &str) -> Vec<String> {
    let changes = changes(root, revision).unwrap_or_else(|error| panic!("{revision}: {error}"));
    changes.keys().map(|path| path.display().into_owned()).collect()
}

/// The changes according to git: tracked files that differ, and untracked files.
pub(crate) fn git_paths(root: &Path, revision: &str) -> Vec<String> {
    let differing = git(root, &["diff", "--name-only", "--no-renames", "--relative", revision]);
    let untracked = git(root, &["ls-files", "--others", "--exclude-standard"]);
    let all: BTreeSet<String> = differing.lines().chain(untracked.lines()).map(str::to_owned).collect();
    all.into_iter().collect()
}

/// Asserts that our changes are those of git.
pub(crate) fn assert_same_as_git(root: &Path, revision: &str) -> Vec<String> {
    let ours = paths(root, revision);
    assert_eq!(ours, git_paths(root, revision), "since {revision}");
    ours
}
