//! Compares the files of a working tree with those of a commit.

use crate::error::HistoryError;
use crate::git_index::GitIndex;
use crate::mailmap::Mailmap;
use crate::object_store::{MAX_OBJECT, ObjectKind};
use crate::oid::{self, Oid};
use crate::patience_diff::line_diff;
use crate::revision::{Commits, Tip};
use crate::tree;
use orient_model::{RepoPath, Stamp};
use orient_walk::{GitDirs, RootDirectory, from_native};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How one file has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileChange {
    /// Added or changed lines, in order, if requested.
    pub lines: Vec<u32>,
    /// Where lines were deleted: the number of the following line.
    pub deletions: Vec<u32>,
    /// The file was deleted.
    pub removed: bool,
}

/// The files that have changed, by path.
pub type Changes = BTreeMap<RepoPath, FileChange>;

/// A file that a switch to a branch would write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingFile {
    /// Its path.
    pub path: RepoPath,
    /// Whether the current commit has a different file at that path.
    pub replaces: bool,
    blob: Oid,
}

/// A directory and the git repository it is in.
pub struct History {
    pub(crate) root: PathBuf,
    tree: RootDirectory,
    pub(crate) commits: Commits,
    pub(crate) index: Arc<GitIndex>,
    /// The path from the top of the working tree to the directory.
    pub(crate) prefix: RepoPath,
    /// The names of `.mailmap` of the current commit, once it was read.
    pub(crate) mailmap: Option<Mailmap>,
}

impl History {
    /// Finds the git repository of a directory.
    pub fn open(root: &Path) -> Result<Self, HistoryError> {
        let none = || HistoryError::NoRepository(root.to_owned());
        let root = root.canonicalize()?;
        let mut found = None;
        for top in root.ancestors() {
            let dirs = GitDirs::find(&top.join(".git"));
            if let Some(dirs) = dirs.map_err(|refused| HistoryError::Refused(refused.to_string()))? {
                found = Some((top, dirs));
                break;
            }
        }
        let (top, dirs) = found.ok_or_else(none)?;
        let commits = Commits::open(&dirs)?;
        Ok(Self {
            tree: RootDirectory::open(&root).map_err(|_| none())?,
            index: Arc::new(GitIndex::open(commits.git_directory(), commits.objects.hash())),
            commits,
            mailmap: None,
            prefix: if top == root {
                RepoPath::from("")
            } else {
                from_native(top, &root).ok_or_else(none)?
            },
            root,
        })
    }

    /// The known files whose content differs from a revision or that the revision does not contain, and the files of the
    /// revision that were deleted. Files whose stamps match git's index need not be read.
    pub fn changes(
        &mut self,
        revision: &str,
        known: &[(RepoPath, Stamp)],
        with_lines: bool,
    ) -> Result<Changes, HistoryError> {
        let (commit, top) = self.commits.commit_and_tree(revision)?;
        let listed = tree::files(&mut self.commits.objects, top, &components(&self.prefix));
        let mut before = listed.map_err(|error| error.about(&commit))?;
        let mut changes = Changes::new();
        for (path, stamp) in known {
            let old = before.remove(path);
            if old.is_some_and(|old| self.is_same(path, stamp, &old)) {
                continue;
            }
            let change = if with_lines { self.diff(path, old.as_ref())? } else { FileChange::default() };
            changes.insert(path.clone(), change);
        }
        for path in before.into_keys() {
            // Files that exist but are unknown are excluded from the index, and so from the changes.
            let gone = orient_walk::to_native(&path)
                .is_some_and(|native| self.root.join(native).symlink_metadata().is_err());
            if gone {
                changes.insert(path, FileChange { removed: true, ..FileChange::default() });
            }
        }
        Ok(changes)
    }

    /// The tips of all branches but the current one, newest first.
    pub fn tips(&mut self) -> Result<Vec<Tip>, HistoryError> {
        self.commits.tips()
    }

    /// The files that a switch from the current commit to a branch would write, by path.
    pub fn incoming_files(&mut self, tip: &Tip) -> Result<Vec<IncomingFile>, HistoryError> {
        let head = self.commits.tree("HEAD")?;
        let files =
            tree::new_files(&mut self.commits.objects, tip.tree, Some(head), &components(&self.prefix));
        let files = files.map_err(|error| error.about(&tip.commit))?;
        Ok(files.into_iter().map(|(path, (blob, replaces))| IncomingFile { path, replaces, blob }).collect())
    }

    /// The content of an incoming file.
    pub fn read(&mut self, file: &IncomingFile) -> Result<Arc<Vec<u8>>, HistoryError> {
        self.commits.objects.get(&file.blob, ObjectKind::Blob).map(|blob| blob.data)
    }

    fn is_same(&mut self, path: &RepoPath, stamp: &Stamp, old: &Oid) -> bool {
        if let Some(oid) = self.index.content(&below(&self.prefix, path), stamp) {
            return oid == *old;
        }
        let Ok(file) = self.tree.open_file(path) else { return false };
        let Ok(metadata) = file.metadata() else { return false };
        if !metadata.is_file() {
            return false;
        }
        let size = metadata.len();
        // No object that is read is as large: reading the file could last for ever.
        if size > MAX_OBJECT as u64 {
            return false;
        }
        oid::of_blob(file, size, self.commits.objects.hash()).is_ok_and(|oid| oid == Some(*old))
            || self.is_same_except_line_ends(path, old)
    }

    /// Whether a file differs from its blob only by CRLF line ends, which git writes on some systems.
    fn is_same_except_line_ends(&self, path: &RepoPath, old: &Oid) -> bool {
        let Some(now) = self.working_content(path) else { return false };
        if !now.windows(2).any(|pair| pair == b"\r\n") {
            return false;
        }
        let mut plain = Vec::with_capacity(now.len());
        for (at, &byte) in now.iter().enumerate() {
            if byte != b'\r' || now.get(at + 1) != Some(&b'\n') {
                plain.push(byte);
            }
        }
        oid::of_blob(&plain[..], plain.len() as u64, self.commits.objects.hash())
            .is_ok_and(|oid| oid == Some(*old))
    }

    fn diff(&mut self, path: &RepoPath, old: Option<&Oid>) -> Result<FileChange, HistoryError> {
        let Some(now) = self.working_content(path) else { return Ok(FileChange::default()) };
        let before = match old {
            Some(oid) => match self.commits.objects.get(oid, ObjectKind::Blob) {
                Err(HistoryError::Io(error)) if error.kind() == ErrorKind::FileTooLarge => Arc::default(),
                blob => blob?.data,
            },
            None => Arc::default(),
        };
        let diff = line_diff(&before, &now);
        Ok(FileChange { lines: diff.lines, deletions: diff.deletions, removed: false })
    }

    pub(crate) fn working_content(&self, path: &RepoPath) -> Option<Vec<u8>> {
        let file = self.tree.open_file(path).ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(MAX_OBJECT as u64).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

/// A path below a directory, which may be empty.
pub(crate) fn below(directory: &RepoPath, path: &RepoPath) -> RepoPath {
    let mut joined = directory.as_bytes().to_vec();
    if !joined.is_empty() {
        joined.push(b'/');
    }
    joined.extend_from_slice(path.as_bytes());
    RepoPath::new(joined)
}

/// The components of a path.
pub(crate) fn components(path: &RepoPath) -> Vec<&[u8]> {
    path.as_bytes().split(|&byte| byte == b'/').filter(|part| !part.is_empty()).collect()
}
