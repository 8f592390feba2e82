//! Changes of paths as git's objects give them.

use crate::error::HistoryError;
use crate::object_store::ObjectKind;
use crate::oid::Oid;
use crate::path_log::{
    ChangeAndSource, ChangeKind, CommitNumber, CommitNumbers, PathNumber, PathSource, PathStep,
};
use crate::renames;
use crate::revision::Commits;
use crate::tree_diff::{self, Blob, BlobKind, blob_at};
use crate::worktree_diff::History;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Only the first parents of a merge are searched for renamed files: a merge may have thousands.
pub(crate) const MAX_RENAMING_PARENTS: usize = 16;

/// Reads commits and changes of paths from git's objects.
pub struct GitPaths<'h> {
    history: &'h mut History,
    numbers: &'h mut CommitNumbers,
}

impl<'h> GitPaths<'h> {
    /// A source of a repository's history.
    pub fn new(history: &'h mut History, numbers: &'h mut CommitNumbers) -> Self {
        Self { history, numbers }
    }
}

impl PathSource for GitPaths<'_> {
    fn parents(
        &mut self,
        commit: CommitNumber,
        parents: &mut Vec<CommitNumber>,
    ) -> Result<i64, HistoryError> {
        let header = self.history.commits.header(&self.numbers.commit_id(commit))?;
        parents.extend(header.parents.iter().map(|parent| self.numbers.commit(parent)));
        Ok(header.time)
    }

    fn step(&mut self, commit: CommitNumber, path: PathNumber) -> Result<Option<PathStep>, HistoryError> {
        let step = self.history.path_step(&self.numbers.commit_id(commit), self.numbers.path_bytes(path))?;
        Ok(step.map(|step| self.numbers.step(step)))
    }

    fn name_in_parent(
        &mut self,
        merge: CommitNumber,
        parent: CommitNumber,
        path: PathNumber,
    ) -> Result<Option<PathNumber>, HistoryError> {
        let (merge, parent) = (self.numbers.commit_id(merge), self.numbers.commit_id(parent));
        let name = self.history.name_in_parent(&merge, &parent, self.numbers.path_bytes(path))?;
        Ok(name.map(|name| self.numbers.path(&name)))
    }

    fn has_file(&mut self, commit: CommitNumber, path: PathNumber) -> Result<bool, HistoryError> {
        self.history.has_file(&self.numbers.commit_id(commit), self.numbers.path_bytes(path))
    }
}

/// Where a file that a commit adds comes from: a file that it renames, else one that it copies.
fn origin(
    commits: &mut Commits,
    parent_tree: &Oid,
    tree: &Oid,
    path: &[u8],
    blob: Blob,
) -> Result<Option<(ChangeKind, Vec<u8>)>, HistoryError> {
    if let Some(source) = rename_source(commits, parent_tree, tree, path)? {
        return Ok(Some((ChangeKind::Renamed, source)));
    }
    copy_source(commits, parent_tree, tree, path, blob)
}

/// The file of the parent that an added file is most similar to. It is a rename if the commit deletes that file for another
/// file's sake, else a copy.
fn copy_source(
    commits: &mut Commits,
    parent_tree: &Oid,
    tree: &Oid,
    path: &[u8],
    blob: Blob,
) -> Result<Option<(ChangeKind, Vec<u8>)>, HistoryError> {
    let changes = tree_diff::diff(&mut commits.objects, Some(*parent_tree), Some(*tree))?;
    let deleted: BTreeSet<Vec<u8>> =
        changes.into_iter().filter(|change| change.new.is_none()).map(|change| change.path).collect();
    let is_deleted = |path: &[u8]| deleted.contains(path);
    let source = renames::source_of(&mut commits.objects, parent_tree, path, blob, &is_deleted)?;
    Ok(source
        .map(|source| (if is_deleted(&source) { ChangeKind::Renamed } else { ChangeKind::Copied }, source)))
}

impl History {
    /// Commit time and parents of a commit.
    pub fn time_and_parents(&mut self, commit: &Oid) -> Result<(i64, Vec<Oid>), HistoryError> {
        let header = self.commits.header(commit)?;
        Ok((header.time, header.parents.clone()))
    }

    /// How a commit with at most one parent changed a path from the top of the repository, and the previous path of a
    /// renamed or copied file.
    pub fn path_step(&mut self, commit: &Oid, path: &[u8]) -> Result<Option<ChangeAndSource>, HistoryError> {
        let commits = &mut self.commits;
        let header = commits.header(commit)?;
        let new = blob_at(&mut commits.objects, &header.tree, path)?;
        let Some(parent) = header.parents.first() else {
            return Ok(new.map(|_| (ChangeKind::Added, None)));
        };
        let parent_tree = commits.header(parent)?.tree;
        if parent_tree == header.tree {
            return Ok(None);
        }
        let old = blob_at(&mut commits.objects, &parent_tree, path)?;
        Ok(match (old, new) {
            _ if old == new => None,
            (Some(old), Some(new)) if old.is_same_content(&new) => Some((ChangeKind::Mode, None)),
            (Some(_), Some(_)) => Some((ChangeKind::Modified, None)),
            (Some(_), None) => Some((ChangeKind::Deleted, None)),
            (None, None) => None,
            (None, Some(blob)) => {
                let origin = commits.within_limits(commit, |commits| {
                    origin(commits, &parent_tree, &header.tree, path, blob)
                })?;
                match origin.flatten() {
                    Some((kind, source)) => Some((kind, Some(source))),
                    None => Some((ChangeKind::Added, None)),
                }
            }
        })
    }

    /// The name in a parent of a file that a merge has under this path and the parent does not.
    pub fn name_in_parent(
        &mut self,
        merge: &Oid,
        parent: &Oid,
        path: &[u8],
    ) -> Result<Option<Vec<u8>>, HistoryError> {
        let header = self.commits.header(merge)?;
        let searched = header.parents.iter().take(MAX_RENAMING_PARENTS).any(|other| other == parent);
        if !searched || blob_at(&mut self.commits.objects, &header.tree, path)?.is_none() {
            return Ok(None);
        }
        let found = self
            .commits
            .within_limits(merge, |commits| renamed_in_merge(commits, &header.tree, parent, path))?;
        Ok(found.flatten())
    }

    /// Whether a commit has a file at a path from the top of the repository.
    pub fn has_file(&mut self, commit: &Oid, path: &[u8]) -> Result<bool, HistoryError> {
        let tree = self.commits.header(commit)?.tree;
        Ok(blob_at(&mut self.commits.objects, &tree, path)?.is_some())
    }

    /// The file of the parent that a file which a commit adds, and does not rename, was copied from.
    pub fn copied_from(
        &mut self,
        commit: &Oid,
        path: &[u8],
    ) -> Result<Option<(ChangeKind, Vec<u8>)>, HistoryError> {
        let header = self.commits.header(commit)?;
        let Some(parent) = header.parents.first() else { return Ok(None) };
        let parent_tree = self.commits.header(parent)?.tree;
        match blob_at(&mut self.commits.objects, &header.tree, path)? {
            Some(blob) => {
                let found = self.commits.within_limits(commit, |commits| {
                    copy_source(commits, &parent_tree, &header.tree, path, blob)
                })?;
                Ok(found.flatten())
            }
            None => Ok(None),
        }
    }

    /// The paths that a commit changed compared with its first parent, with renames, from the top of the repository.
    pub fn changed_paths(&mut self, commit: &Oid) -> Result<Vec<RawPathChange>, HistoryError> {
        let parent = self.commits.header(commit)?.parents.first().copied();
        changed_paths(&mut self.commits, parent.as_ref(), commit)
    }

    /// The files that a merge has under another path than a parent: path, parent counted from one, path in the parent.
    pub fn merge_renames(&mut self, merge: &Oid) -> Result<Vec<MergeRename>, HistoryError> {
        let parents = self.commits.header(merge)?.parents.clone();
        let mut found = Vec::new();
        for (number, parent) in (1..).zip(parents.iter().take(MAX_RENAMING_PARENTS)) {
            let changes = self
                .commits
                .within_limits(merge, |commits| changed_paths(commits, Some(parent), merge))?
                .unwrap_or_default();
            let renamed = changes.into_iter().filter(|change| change.kind == ChangeKind::Renamed);
            found.extend(renamed.filter_map(|change| Some((change.path, number, change.old_path?))));
        }
        Ok(found)
    }

    /// The commits that a history index starts from: the current one, those of other worktrees, and branches. The flag says
    /// whether these are all.
    pub fn index_tips(&mut self) -> (Vec<Oid>, bool) {
        self.commits.index_tips()
    }
}

/// A file that a merge has under another path than a parent: path, parent counted from one, path in the parent.
pub type MergeRename = (Vec<u8>, u8, Vec<u8>);

/// A path that a commit changed, from the top of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawPathChange {
    /// The path after the change; before it, if the file was deleted.
    pub path: Vec<u8>,
    /// The previous path of a renamed file.
    pub old_path: Option<Vec<u8>>,
    /// How it changed.
    pub kind: ChangeKind,
    /// The content before.
    pub old: Option<Blob>,
    /// The content after.
    pub new: Option<Blob>,
}

/// The paths that differ between two commits, with renames, sorted. Without an old commit, every file is an addition.
pub(crate) fn changed_paths(
    commits: &mut Commits,
    old: Option<&Oid>,
    new: &Oid,
) -> Result<Vec<RawPathChange>, HistoryError> {
    let old_tree = old.map(|old| commits.header(old)).transpose()?.map(|header| header.tree);
    let tree = commits.header(new)?.tree;
    let changes = tree_diff::diff(&mut commits.objects, old_tree, Some(tree));
    let mut changes = changes.map_err(|error| error.about(new))?;
    let renames = renames::detect(&mut commits.objects, &changes)?;
    if std::mem::take(&mut commits.objects.left_out) {
        commits.leave_out(new);
    }
    let mut source_of: BTreeMap<usize, usize> = BTreeMap::new();
    let mut sources = BTreeMap::new();
    for rename in &renames {
        let source = &mut changes[rename.from];
        sources.insert(rename.from, (std::mem::take(&mut source.path), source.old));
        source_of.insert(rename.to, rename.from);
    }
    let mut found = Vec::with_capacity(changes.len());
    for (at, change) in changes.into_iter().enumerate() {
        if sources.contains_key(&at) {
            continue;
        }
        let source = source_of.get(&at).and_then(|from| sources.get(from));
        let kind = match (change.old, change.new) {
            _ if source.is_some() => ChangeKind::Renamed,
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Deleted,
            (Some(old), Some(new)) if old.is_same_content(&new) => ChangeKind::Mode,
            _ => ChangeKind::Modified,
        };
        found.push(RawPathChange {
            path: change.path,
            old_path: source.map(|(path, _)| path.clone()),
            kind,
            old: source.map_or(change.old, |(_, old)| *old),
            new: change.new,
        });
    }
    Ok(found)
}

/// The name that a file of a merge has in a parent that does not have its path.
fn renamed_in_merge(
    commits: &mut Commits,
    tree: &Oid,
    parent: &Oid,
    path: &[u8],
) -> Result<Option<Vec<u8>>, HistoryError> {
    let parent_tree = commits.header(parent)?.tree;
    if blob_at(&mut commits.objects, &parent_tree, path)?.is_some() {
        return Ok(None);
    }
    rename_source(commits, &parent_tree, tree, path)
}

/// The name that a file had in the parent, if the commit renames it.
pub(crate) fn rename_source(
    commits: &mut Commits,
    parent_tree: &Oid,
    tree: &Oid,
    path: &[u8],
) -> Result<Option<Vec<u8>>, HistoryError> {
    let mut changes = tree_diff::diff(&mut commits.objects, Some(*parent_tree), Some(*tree))?;
    let renames = renames::detect(&mut commits.objects, &changes)?;
    let found = renames.into_iter().find(|rename| changes[rename.to].path == path);
    Ok(found.map(|rename| std::mem::take(&mut changes[rename.from].path)))
}

/// The text of a blob; nothing if it is too large or the content of a submodule.
pub(crate) fn content(commits: &mut Commits, blob: Option<Blob>) -> Result<Arc<Vec<u8>>, HistoryError> {
    match blob.filter(|blob| blob.kind != BlobKind::Submodule) {
        None => Ok(Arc::default()),
        Some(blob) => match commits.objects.get(&blob.id, ObjectKind::Blob) {
            Ok(object) => Ok(object.data),
            Err(HistoryError::Io(error)) if error.kind() == std::io::ErrorKind::FileTooLarge => {
                Ok(Arc::default())
            }
            Err(error) => Err(error),
        },
    }
}
