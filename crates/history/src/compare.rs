//! The files of a working tree against those of a commit.

use crate::error::HistoryError;
use crate::inflate::LARGEST;
use crate::lines::difference;
use crate::objects::Kind;
use crate::oid::Oid;
use crate::revision::{Commits, Tip};
use crate::staged::Staged;
use crate::tree;
use orient_model::{RepoPath, Stamp};
use orient_walk::{GitDirs, Tree, from_native};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What has changed in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Lines that are new or differ, in order, where they were asked for.
    pub lines: Vec<u32>,
    /// Places where lines were taken out: the number of the line behind.
    pub gaps: Vec<u32>,
    /// The file is gone.
    pub removed: bool,
}

/// The files that have changed, by path.
pub type Changes = BTreeMap<RepoPath, Touched>;

/// A file that a switch to a branch would write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brought {
    /// Where.
    pub path: RepoPath,
    /// Whether the commit that is checked out has another file there.
    pub replaces: bool,
    blob: Oid,
}

/// A folder and the repository it lies in.
pub struct History {
    root: PathBuf,
    tree: Tree,
    commits: Commits,
    staged: Staged,
    /// From the top of the working tree to the folder.
    prefix: RepoPath,
}

impl History {
    /// Finds the repository that a folder is the top of or lies in.
    pub fn open(root: &Path) -> Result<Self, HistoryError> {
        let none = || HistoryError::NoRepository(root.to_owned());
        let root = root.canonicalize()?;
        let found = root.ancestors().find_map(|top| Some((top, GitDirs::of(&top.join(".git"))?)));
        let (top, dirs) = found.ok_or_else(none)?;
        Ok(Self {
            tree: Tree::open(&root).map_err(|_| none())?,
            commits: Commits::open(&dirs)?,
            staged: Staged::open(&dirs.git_dir),
            prefix: if top == root {
                RepoPath::from("")
            } else {
                from_native(top, &root).ok_or_else(none)?
            },
            root,
        })
    }

    /// Which of the known files differ from those of a revision by their content, or are not in it, and which files of
    /// the revision are gone. The stamps say which files git has looked at since they changed; the others are read.
    pub fn changes(
        &mut self,
        revision: &str,
        known: &[(RepoPath, Stamp)],
        with_lines: bool,
    ) -> Result<Changes, HistoryError> {
        let top = self.commits.tree(revision)?;
        let mut before = tree::files(&mut self.commits.objects, top, &parts(&self.prefix))?;
        let mut changes = Changes::new();
        for (path, stamp) in known {
            let old = before.remove(path);
            if old.is_some_and(|old| self.is_same(path, stamp, &old)) {
                continue;
            }
            let touched = if with_lines { self.lines(path, old.as_ref())? } else { Touched::default() };
            changes.insert(path.clone(), touched);
        }
        for path in before.into_keys() {
            // What is there but not known is left out of the index, and out of here.
            let gone = orient_walk::to_native(&path)
                .is_some_and(|native| self.root.join(native).symlink_metadata().is_err());
            if gone {
                changes.insert(path, Touched { removed: true, ..Touched::default() });
            }
        }
        Ok(changes)
    }

    /// The commits that branches stand for and that are not checked out, the newest first.
    pub fn tips(&mut self) -> Result<Vec<Tip>, HistoryError> {
        self.commits.tips()
    }

    /// The files that a switch from what is checked out to a branch would write, by path.
    pub fn brought_by(&mut self, tip: &Tip) -> Result<Vec<Brought>, HistoryError> {
        let head = self.commits.tree("HEAD")?;
        let files = tree::new_files(&mut self.commits.objects, tip.tree, Some(head), &parts(&self.prefix))?;
        Ok(files.into_iter().map(|(path, (blob, replaces))| Brought { path, replaces, blob }).collect())
    }

    /// The content of such a file, as git keeps it.
    pub fn read(&mut self, file: &Brought) -> Result<Arc<Vec<u8>>, HistoryError> {
        self.commits.objects.get(&file.blob, Kind::Blob).map(|blob| blob.data)
    }

    fn is_same(&mut self, path: &RepoPath, stamp: &Stamp, old: &Oid) -> bool {
        let mut from_top = self.prefix.as_bytes().to_vec();
        if !from_top.is_empty() {
            from_top.push(b'/');
        }
        from_top.extend_from_slice(path.as_bytes());
        if let Some(oid) = self.staged.content(&RepoPath::new(from_top), stamp) {
            return oid == *old;
        }
        let Ok(file) = self.tree.open_file(path) else { return false };
        let Ok(metadata) = file.metadata() else { return false };
        if !metadata.is_file() {
            return false;
        }
        let size = metadata.len();
        Oid::of_blob(file, size).is_ok_and(|oid| oid == Some(*old)) || self.same_but_for_ends(path, old)
    }

    /// Whether a file differs from what git keeps only by how its lines end, as git itself makes it on some systems.
    fn same_but_for_ends(&self, path: &RepoPath, old: &Oid) -> bool {
        let Some(now) = self.content(path) else { return false };
        if !now.windows(2).any(|pair| pair == b"\r\n") {
            return false;
        }
        let mut plain = Vec::with_capacity(now.len());
        for (at, &byte) in now.iter().enumerate() {
            if byte != b'\r' || now.get(at + 1) != Some(&b'\n') {
                plain.push(byte);
            }
        }
        Oid::of_blob(&plain[..], plain.len() as u64).is_ok_and(|oid| oid == Some(*old))
    }

    fn lines(&mut self, path: &RepoPath, old: Option<&Oid>) -> Result<Touched, HistoryError> {
        let Some(now) = self.content(path) else { return Ok(Touched::default()) };
        let before = match old {
            Some(oid) => match self.commits.objects.get(oid, Kind::Blob) {
                Err(HistoryError::Io(error)) if error.kind() == ErrorKind::FileTooLarge => Arc::default(),
                blob => blob?.data,
            },
            None => Arc::default(),
        };
        let found = difference(&before, &now);
        Ok(Touched { lines: found.lines, gaps: found.gaps, removed: false })
    }

    fn content(&self, path: &RepoPath) -> Option<Vec<u8>> {
        let file = self.tree.open_file(path).ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(LARGEST as u64).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

/// The names of folders that a path leads through.
fn parts(path: &RepoPath) -> Vec<&[u8]> {
    path.as_bytes().split(|&byte| byte == b'/').filter(|part| !part.is_empty()).collect()
}
