//! The files that differ between two trees, in both versions.

use orient_engine::{FileQuery, Snapshot};
use orient_history::{History, HistoryError, Oid, short_id};
use orient_model::RepoPath;
use std::sync::Arc;

/// Larger contents are not compared by symbols: the file is listed without any.
const MAX_CONTENT: u64 = 8 << 20;

/// Both versions of a changed file.
pub(crate) struct FilePair {
    /// Its path in the new tree; in the old one, if it was removed.
    pub(crate) path: RepoPath,
    /// Its path in the old tree; in the new one, if it was added.
    pub(crate) old_path: RepoPath,
    pub(crate) before: Arc<Vec<u8>>,
    pub(crate) after: Arc<Vec<u8>>,
    /// Whether the new tree does not have it.
    pub(crate) removed: bool,
}

/// The difference of two trees.
pub(crate) struct Comparison {
    /// The name of the old tree.
    pub(crate) from: String,
    /// The name of the new tree.
    pub(crate) to: String,
    /// The commit of the old tree.
    pub(crate) old: Oid,
    /// The commit of the new tree; `None` for the working tree.
    pub(crate) new: Option<Oid>,
    /// The changed files, by path.
    pub(crate) pairs: Vec<FilePair>,
}

impl Comparison {
    /// Compares `A..B`, `A...B` (from the merge base), or a revision with the working tree.
    pub(crate) fn of_range(
        history: &mut History,
        snapshot: &Snapshot,
        range: &str,
    ) -> Result<Self, HistoryError> {
        let named = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
        let (from, to) = match (range.split_once("..."), range.split_once("..")) {
            (Some((from, to)), _) => {
                let (a, b) = (history.revision(&named(from))?, history.revision(&named(to))?);
                let base = merge_base(history, range, a, b)?;
                return Self::between(history, (short_id(&base), base), (named(to), b));
            }
            (None, Some((from, to))) if !to.is_empty() => (named(from), to.to_owned()),
            (None, Some((from, _))) => (named(from), String::new()),
            (None, None) => (named(range), String::new()),
        };
        let old = history.revision(&from)?;
        if to.is_empty() {
            return Self::with_working_tree(history, snapshot, from, old);
        }
        let new = history.revision(&to)?;
        Self::between(history, (from, old), (to, new))
    }

    /// Compares the working tree with a revision, or with the merge base of `A...` and HEAD.
    pub(crate) fn since(
        history: &mut History,
        snapshot: &Snapshot,
        revision: &str,
    ) -> Result<Self, HistoryError> {
        let (from, is_merge_base) = match (revision.split_once("..."), revision.split_once("..")) {
            (Some((from, _)), _) => (from, true),
            (None, Some((from, _))) => (from, false),
            (None, None) => (revision, false),
        };
        let from = if from.is_empty() { "HEAD" } else { from };
        let start = history.revision(from)?;
        if !is_merge_base {
            return Self::with_working_tree(history, snapshot, from.to_owned(), start);
        }
        let head = history.revision("HEAD")?;
        let base = merge_base(history, revision, start, head)?;
        Self::with_working_tree(history, snapshot, short_id(&base), base)
    }

    fn with_working_tree(
        history: &mut History,
        snapshot: &Snapshot,
        from: String,
        old: Oid,
    ) -> Result<Self, HistoryError> {
        let rows =
            snapshot.files(&FileQuery::default(), 0, usize::MAX).map(|page| page.rows).unwrap_or_default();
        let known: Vec<_> = rows.into_iter().map(|row| (row.path, row.stamp)).collect();
        let mut pairs = Vec::new();
        for (path, change) in history.changes(&old.to_string(), &known, false)? {
            let blob = history.file_at(&old, &path)?;
            let before = history.small_content(blob, MAX_CONTENT)?;
            let mut after =
                if change.removed { Vec::new() } else { history.working_file(&path).unwrap_or_default() };
            if after.len() as u64 > MAX_CONTENT {
                after = Vec::new();
            }
            let (old_path, after) = (path.clone(), Arc::new(after));
            pairs.push(FilePair { path, old_path, before, after, removed: change.removed });
        }
        Ok(Self { from, to: "working tree".to_owned(), old, new: None, pairs })
    }

    fn between(
        history: &mut History,
        (from, old): (String, Oid),
        (to, new): (String, Oid),
    ) -> Result<Self, HistoryError> {
        let mut pairs = Vec::new();
        for change in history.compare(Some(&old), &new)? {
            pairs.push(FilePair {
                before: history.small_content(change.old, MAX_CONTENT)?,
                after: history.small_content(change.new, MAX_CONTENT)?,
                removed: change.new.is_none(),
                old_path: change.old_path.unwrap_or_else(|| change.path.clone()),
                path: change.path,
            });
        }
        Ok(Self { from, to, old, new: Some(new), pairs })
    }
}

fn merge_base(history: &mut History, range: &str, a: Oid, b: Oid) -> Result<Oid, HistoryError> {
    history.merge_base(a, b)?.ok_or_else(|| HistoryError::Unusable {
        revision: range.to_owned(),
        reason: "the revisions have no common ancestor".to_owned(),
    })
}
