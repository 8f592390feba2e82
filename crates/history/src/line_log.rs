//! The history of lines of a file, through renames and merges.

use crate::commit_queue::CommitQueue;
use crate::error::HistoryError;
use crate::line_diff::{Hunk, hunks, is_comparable};
use crate::oid::Oid;
use crate::path_history::{content, rename_source};
use crate::path_log::ChangeKind;
use crate::revision::Commits;
use crate::tree_diff::{Blob, blob_at};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// A commit that changed the lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineLogEntry {
    pub(crate) commit: Oid,
    pub(crate) path: Vec<u8>,
    /// The previous path, if it was renamed.
    pub(crate) old_path: Option<Vec<u8>>,
    pub(crate) kind: ChangeKind,
    pub(crate) old: Option<Blob>,
    pub(crate) new: Option<Blob>,
    /// The changed hunks inside the lines.
    pub(crate) hunks: Vec<Hunk>,
}

/// Follows lines of a file backwards from a commit: the commits that changed them, newest first.
pub(crate) struct LineLog {
    queue: CommitQueue<Oid>,
    ranges: BTreeMap<Oid, BTreeMap<Vec<u8>, Range<u32>>>,
    ready: Vec<LineLogEntry>,
    /// The paths and lines at which each commit was visited.
    visited: HashMap<Oid, BTreeSet<(Vec<u8>, u32, u32)>>,
}

impl LineLog {
    /// `lines` are counted from zero.
    pub(crate) fn new(
        commits: &mut Commits,
        start: Oid,
        path: Vec<u8>,
        lines: Range<u32>,
    ) -> Result<Self, HistoryError> {
        let mut log = Self {
            queue: CommitQueue::default(),
            ranges: BTreeMap::new(),
            ready: Vec::new(),
            visited: HashMap::new(),
        };
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
            self.queue.push(commits.header(&oid)?.time, oid);
        }
        let known = paths.entry(path).or_insert_with(|| lines.clone());
        *known = known.start.min(lines.start)..known.end.max(lines.end);
        Ok(())
    }

    /// The next commit that changed the lines, or `None` once all lines are new.
    pub(crate) fn next(&mut self, commits: &mut Commits) -> Result<Option<LineLogEntry>, HistoryError> {
        loop {
            if let Some(entry) = self.ready.pop() {
                return Ok(Some(entry));
            }
            let Some(oid) = self.queue.pop() else { return Ok(None) };
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
        // Once is enough, also where grafts or replacements make a commit its own ancestor.
        if !self.visited.entry(oid).or_default().insert((path.clone(), lines.start, lines.end)) {
            return Ok(());
        }
        let header = commits.header(&oid)?;
        let Some(new) = blob_at(&mut commits.objects, &header.tree, &path)? else { return Ok(()) };
        let mut sides = Vec::new();
        for parent in &header.parents {
            let parent_tree = commits.header(parent)?.tree;
            let mut source = path.clone();
            let mut old = blob_at(&mut commits.objects, &parent_tree, &path)?;
            if old.is_none() {
                let renamed = commits.within_limits(&oid, |commits| {
                    rename_source(commits, &parent_tree, &header.tree, &path)
                })?;
                if let Some(renamed) = renamed.flatten() {
                    old = blob_at(&mut commits.objects, &parent_tree, &renamed)?;
                    source = renamed;
                }
            }
            if old.is_none_or(|old| !old.is_same_content(&new)) {
                let (before, after) = (content(commits, old)?, content(commits, Some(new))?);
                if !is_comparable(&before, &after) {
                    commits.leave_out(&oid);
                }
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
        self.ready.push(LineLogEntry {
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
