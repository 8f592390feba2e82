//! The history of a path or of lines, through renames, copies and merges.
//!
//! A path is followed along each branch separately: where one branch renamed a file and the other did not, both names are
//! followed, each on its own side. (`git log --follow` follows one name at a time over all branches.)

use crate::error::HistoryError;
use crate::line_diff::{Hunk, hunks};
use crate::object_store::ObjectKind;
use crate::oid::Oid;
use crate::renames;
use crate::revision::Commits;
use crate::tree_diff::{self, Blob, BlobKind, blob_at};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// How a commit changed a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// The file is new.
    Added,
    /// The content changed.
    Modified,
    /// The file was deleted.
    Deleted,
    /// The file was renamed, and perhaps changed.
    Renamed,
    /// The file is a copy of another, perhaps changed.
    Copied,
}

impl ChangeKind {
    /// The name in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Renamed => "renamed",
            Self::Copied => "copied",
        }
    }
}

/// A commit that changed a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathLogEntry {
    pub(crate) commit: Oid,
    pub(crate) path: Vec<u8>,
    /// The previous path, if it was renamed or copied.
    pub(crate) old_path: Option<Vec<u8>>,
    pub(crate) kind: ChangeKind,
    pub(crate) old: Option<Blob>,
    pub(crate) new: Option<Blob>,
    /// The changed hunks inside the lines that are followed, if lines are.
    pub(crate) hunks: Vec<Hunk>,
}

/// Follows a path backwards from a commit, newest commit first.
pub(crate) struct PathLog {
    queue: BinaryHeap<(i64, Reverse<u64>, Oid)>,
    /// The paths to look at in each commit of the queue.
    paths: BTreeMap<Oid, BTreeSet<Vec<u8>>>,
    done: HashSet<(Oid, Vec<u8>)>,
    found: u64,
    ready: Vec<PathLogEntry>,
}

impl PathLog {
    pub(crate) fn new(commits: &mut Commits, start: Oid, path: Vec<u8>) -> Result<Self, HistoryError> {
        let mut log = Self {
            queue: BinaryHeap::new(),
            paths: BTreeMap::new(),
            done: HashSet::new(),
            found: 0,
            ready: Vec::new(),
        };
        log.push(commits, start, path)?;
        Ok(log)
    }

    fn push(&mut self, commits: &mut Commits, oid: Oid, path: Vec<u8>) -> Result<(), HistoryError> {
        if !self.done.insert((oid, path.clone())) {
            return Ok(());
        }
        let paths = self.paths.entry(oid).or_default();
        if paths.is_empty() {
            self.found += 1;
            self.queue.push((commits.header(&oid)?.time, Reverse(self.found), oid));
        }
        paths.insert(path);
        Ok(())
    }

    /// The next commit that changed the path, or `None` at the end of the history.
    pub(crate) fn next(&mut self, commits: &mut Commits) -> Result<Option<PathLogEntry>, HistoryError> {
        loop {
            if let Some(entry) = self.ready.pop() {
                return Ok(Some(entry));
            }
            let Some((_, _, oid)) = self.queue.pop() else { return Ok(None) };
            for path in self.paths.remove(&oid).unwrap_or_default() {
                self.visit(commits, oid, path)?;
            }
        }
    }

    fn visit(&mut self, commits: &mut Commits, oid: Oid, path: Vec<u8>) -> Result<(), HistoryError> {
        let header = commits.header(&oid)?;
        let new = blob_at(&mut commits.objects, &header.tree, &path)?;
        let entry = |kind, old_path, old| PathLogEntry {
            commit: oid,
            path: path.clone(),
            old_path,
            kind,
            old,
            new,
            hunks: Vec::new(),
        };
        let [parent] = header.parents[..] else {
            if header.parents.is_empty() && new.is_some() {
                self.ready.push(entry(ChangeKind::Added, None, None));
            }
            for parent in &header.parents {
                if new.is_some()
                    && let Some(source) = renamed_in_merge(commits, &header.tree, parent, &path)?
                {
                    self.push(commits, *parent, source)?;
                }
                self.push(commits, *parent, path.clone())?;
            }
            return Ok(());
        };
        let parent_tree = commits.header(&parent)?.tree;
        if parent_tree == header.tree {
            return self.push(commits, parent, path);
        }
        let old = blob_at(&mut commits.objects, &parent_tree, &path)?;
        match (old, new) {
            _ if old == new => self.push(commits, parent, path),
            (Some(_), Some(_)) => {
                self.ready.push(entry(ChangeKind::Modified, None, old));
                self.push(commits, parent, path)
            }
            (Some(_), None) => {
                self.ready.push(entry(ChangeKind::Deleted, None, old));
                self.push(commits, parent, path)
            }
            (None, None) => self.push(commits, parent, path),
            (None, Some(blob)) => {
                let Some((kind, source)) = origin(commits, &parent_tree, &header.tree, &path, blob)? else {
                    self.ready.push(entry(ChangeKind::Added, None, None));
                    return self.push(commits, parent, path);
                };
                let old = blob_at(&mut commits.objects, &parent_tree, &source)?;
                self.ready.push(entry(kind, Some(source.clone()), old));
                self.push(commits, parent, source)
            }
        }
    }
}

/// Where a file that a commit adds comes from, and whether it was renamed or copied.
fn origin(
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

/// Follows lines of a file backwards from a commit: the commits that changed them, newest first.
pub(crate) struct LineLog {
    queue: BinaryHeap<(i64, Reverse<u64>, Oid)>,
    ranges: BTreeMap<Oid, BTreeMap<Vec<u8>, Range<u32>>>,
    found: u64,
    ready: Vec<PathLogEntry>,
}

impl LineLog {
    /// `lines` are counted from zero.
    pub(crate) fn new(
        commits: &mut Commits,
        start: Oid,
        path: Vec<u8>,
        lines: Range<u32>,
    ) -> Result<Self, HistoryError> {
        let mut log = Self { queue: BinaryHeap::new(), ranges: BTreeMap::new(), found: 0, ready: Vec::new() };
        log.push(commits, start, path, lines)?;
        Ok(log)
    }

    fn push(
        &mut self,
        commits: &mut Commits,
        oid: Oid,
        path: Vec<u8>,
        lines: Range<u32>,
    ) -> Result<(), HistoryError> {
        let paths = self.ranges.entry(oid).or_default();
        if paths.is_empty() {
            self.found += 1;
            self.queue.push((commits.header(&oid)?.time, Reverse(self.found), oid));
        }
        let known = paths.entry(path).or_insert_with(|| lines.clone());
        *known = known.start.min(lines.start)..known.end.max(lines.end);
        Ok(())
    }

    /// The next commit that changed the lines, or `None` once all lines are new.
    pub(crate) fn next(&mut self, commits: &mut Commits) -> Result<Option<PathLogEntry>, HistoryError> {
        loop {
            if let Some(entry) = self.ready.pop() {
                return Ok(Some(entry));
            }
            let Some((_, _, oid)) = self.queue.pop() else { return Ok(None) };
            for (path, lines) in self.ranges.remove(&oid).unwrap_or_default() {
                self.visit(commits, oid, path, lines)?;
            }
        }
    }

    fn visit(
        &mut self,
        commits: &mut Commits,
        oid: Oid,
        path: Vec<u8>,
        lines: Range<u32>,
    ) -> Result<(), HistoryError> {
        let header = commits.header(&oid)?;
        let Some(new) = blob_at(&mut commits.objects, &header.tree, &path)? else { return Ok(()) };
        let mut sides = Vec::new();
        for parent in &header.parents {
            let parent_tree = commits.header(parent)?.tree;
            let mut source = path.clone();
            let mut old = blob_at(&mut commits.objects, &parent_tree, &path)?;
            if old.is_none()
                && let Some(renamed) = rename_source(commits, &parent_tree, &header.tree, &path)?
            {
                old = blob_at(&mut commits.objects, &parent_tree, &renamed)?;
                source = renamed;
            }
            if old.is_none_or(|old| old != new) {
                let (before, after) = (content(commits, old)?, content(commits, Some(new))?);
                let (range, touched) = range_before(&hunks(&before, &after), &lines);
                sides.push((*parent, source, old, range, touched));
            } else {
                sides.push((*parent, source, old, lines.clone(), Vec::new()));
            }
        }
        // Lines that are as in one parent come from there.
        if let Some((parent, source, _, range, _)) = sides.iter().find(|(.., touched)| touched.is_empty()) {
            return self.push(commits, *parent, source.clone(), range.clone());
        }
        let first = sides.first();
        let old = first.and_then(|(_, _, old, ..)| *old);
        let renamed = first.filter(|(_, source, ..)| *source != path && old.is_some());
        self.ready.push(PathLogEntry {
            commit: oid,
            old_path: renamed.map(|(_, source, ..)| source.clone()),
            path,
            kind: match (old, renamed) {
                (None, _) => ChangeKind::Added,
                (_, Some(_)) => ChangeKind::Renamed,
                _ => ChangeKind::Modified,
            },
            old,
            new: Some(new),
            hunks: first.map(|(.., touched)| touched.clone()).unwrap_or_default(),
        });
        for (parent, source, old, range, _) in sides {
            if old.is_some() && !range.is_empty() {
                self.push(commits, parent, source, range)?;
            }
        }
        Ok(())
    }
}

/// The lines of the old version that correspond to lines of the new one, and the hunks that change them.
///
/// Example: the hunk `3..4 → 3..6` maps the lines `0..10` to `0..8`, and `6..8` to `4..6` without being touched.
pub(crate) fn range_before(hunks: &[Hunk], lines: &Range<u32>) -> (Range<u32>, Vec<Hunk>) {
    let touches =
        |hunk: &&Hunk| hunk.after.start < lines.end && lines.start < hunk.after.end.max(hunk.after.start);
    let inside = |hunk: &&Hunk| {
        hunk.after.is_empty() && lines.start < hunk.after.start && hunk.after.start < lines.end
    };
    let touched: Vec<Hunk> = hunks.iter().filter(|hunk| touches(hunk) || inside(hunk)).cloned().collect();
    // The shift of a line is that of the last hunk before it.
    let shift = |line: u32| {
        let before = hunks.iter().take_while(|hunk| hunk.after.end <= line && hunk.after.start < line.max(1));
        before.last().map_or(i64::from(line), |hunk| {
            i64::from(line) - i64::from(hunk.after.end) + i64::from(hunk.before.end)
        })
    };
    let clamp = |line: i64| u32::try_from(line.max(0)).unwrap_or(u32::MAX);
    let (mut start, mut end) = (clamp(shift(lines.start)), clamp(shift(lines.end)));
    if let (Some(first), Some(last)) = (touched.first(), touched.last()) {
        if first.after.start <= lines.start {
            start = first.before.start;
        }
        if last.after.end >= lines.end {
            end = last.before.end;
        }
    }
    (start..end.max(start), touched)
}
