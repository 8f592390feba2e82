//! Blame: which commit each line of a file comes from.
//!
//! Lines start at the newest commit and pass to a parent as long as the parent has them too; a line stays with the first
//! commit whose parents do not have it. Commits are visited newest first, so that lines which reach a commit along several
//! branches are handled together.

use crate::commit::CommitHeader;
use crate::commit_queue::CommitQueue;
use crate::error::HistoryError;
use crate::line_diff::{hunks, is_comparable, line_count, lines};
use crate::oid::Oid;
use crate::path_history::{content, rename_source};
use crate::revision::Commits;
use crate::tree_diff::{Blob, blob_at};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Consecutive lines that come from one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlameRange {
    /// The first line in the blamed file, from zero.
    pub(crate) line: u32,
    /// Number of lines.
    pub(crate) count: u32,
    /// The commit that introduced them.
    pub(crate) commit: Oid,
    /// The path of the file in that commit.
    pub(crate) path: Vec<u8>,
    /// The first line in that commit, from zero.
    pub(crate) source_line: u32,
}

/// Maximum number of replaced lines that a line of an ignored commit is compared with.
const MAX_COMPARED_LINES: usize = 200;

/// Lines whose commit is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pending {
    line: u32,
    count: u32,
    source_line: u32,
}

struct Blamer<'c> {
    commits: &'c mut Commits,
    ignored: &'c BTreeSet<Oid>,
    queue: CommitQueue<Oid>,
    pending: BTreeMap<Oid, BTreeMap<Vec<u8>, Vec<Pending>>>,
    ranges: Vec<BlameRange>,
    /// Number of lines of the file.
    count: u64,
    /// Number of lines that visited each commit.
    visits: HashMap<Oid, u64>,
}

/// Blames the lines of a file in a commit. `None` if the commit has no such file. Lines that an ignored commit changed pass to the
/// most similar lines that they replace, if there are any.
pub(crate) fn blame(
    commits: &mut Commits,
    start: Oid,
    path: &[u8],
    ignored: &BTreeSet<Oid>,
) -> Result<Option<Vec<BlameRange>>, HistoryError> {
    let tree = commits.header(&start)?.tree;
    let Some(blob) = blob_at(&mut commits.objects, &tree, path)? else { return Ok(None) };
    let text = content(commits, Some(blob))?;
    let count = u32::try_from(line_count(&text)).unwrap_or(u32::MAX);
    let mut blamer = Blamer {
        commits,
        ignored,
        queue: CommitQueue::default(),
        pending: BTreeMap::new(),
        ranges: Vec::new(),
        count: count.into(),
        visits: HashMap::new(),
    };
    blamer.push(start, path, vec![Pending { line: 0, count, source_line: 0 }])?;
    while let Some(oid) = blamer.queue.pop() {
        for (path, pending) in blamer.pending.remove(&oid).unwrap_or_default() {
            blamer.visit(oid, &path, pending)?;
        }
    }
    let mut ranges = blamer.ranges;
    ranges.sort_unstable_by_key(|range| range.line);
    ranges.dedup_by(|next, range| {
        let continues = range.commit == next.commit
            && range.path == next.path
            && range.line + range.count == next.line
            && range.source_line + range.count == next.source_line;
        if continues {
            range.count += next.count;
        }
        continues
    });
    Ok(Some(ranges))
}

impl Blamer<'_> {
    fn push(&mut self, oid: Oid, path: &[u8], pending: Vec<Pending>) -> Result<(), HistoryError> {
        if pending.is_empty() {
            return Ok(());
        }
        let paths = self.pending.entry(oid).or_default();
        if paths.is_empty() {
            let time = self.commits.header(&oid)?.time;
            self.queue.push(time, oid);
        }
        paths.entry(path.to_vec()).or_default().extend(pending);
        Ok(())
    }

    /// Passes lines to the parents that have them, and keeps the rest.
    fn visit(&mut self, oid: Oid, path: &[u8], mut pending: Vec<Pending>) -> Result<(), HistoryError> {
        if self.is_own_ancestor(oid, &pending) {
            self.commits.leave_out(&oid);
            self.keep(oid, path, pending);
            return Ok(());
        }
        let header = self.commits.header(&oid)?;
        let blob = blob_at(&mut self.commits.objects, &header.tree, path)?;
        let origins = self.origins(oid, &header, path, blob)?;
        let is_same = |old: &Blob| blob.is_some_and(|blob| blob.is_same_content(old));
        if let Some((parent, source, _)) = origins.iter().find(|(.., old)| is_same(old)) {
            return self.push(*parent, source, pending);
        }
        let after = content(self.commits, blob)?;
        for (parent, source, old) in origins {
            let before = content(self.commits, Some(old))?;
            if !is_comparable(&before, &after) {
                self.commits.leave_out(&oid);
            }
            let (mut passed, mut kept) = split(&before, &after, pending);
            if self.ignored.contains(&oid) {
                let (replaced, rest) = pass_changed_lines(&before, &after, kept);
                passed.extend(replaced);
                kept = rest;
            }
            self.push(parent, &source, passed)?;
            pending = kept;
            if pending.is_empty() {
                return Ok(());
            }
        }
        self.keep(oid, path, pending);
        Ok(())
    }

    /// Whether lines come back to a commit: a line visits a commit once, unless grafts, replacements or forged objects make the commit its
    /// own ancestor. Then it would be followed forever.
    fn is_own_ancestor(&mut self, oid: Oid, pending: &[Pending]) -> bool {
        let visits = self.visits.entry(oid).or_default();
        *visits += pending.iter().map(|lines| u64::from(lines.count)).sum::<u64>();
        *visits > self.count
    }

    /// Lines that stay with a commit.
    fn keep(&mut self, oid: Oid, path: &[u8], pending: Vec<Pending>) {
        self.ranges.extend(pending.into_iter().map(|lines| BlameRange {
            line: lines.line,
            count: lines.count,
            commit: oid,
            path: path.to_vec(),
            source_line: lines.source_line,
        }));
    }

    /// The file in each parent: first those at the same path, then those that the commit renames. A content that several
    /// parents have counts once; one that equals the file's ends the search.
    fn origins(
        &mut self,
        oid: Oid,
        header: &CommitHeader,
        path: &[u8],
        blob: Option<Blob>,
    ) -> Result<Vec<(Oid, Vec<u8>, Blob)>, HistoryError> {
        let CommitHeader { tree, parents, .. } = header;
        let mut found: Vec<Option<(Oid, Vec<u8>, Blob)>> = vec![None; parents.len()];
        for by_rename in [false, true] {
            for (at, parent) in parents.iter().enumerate() {
                if found[at].is_some() {
                    continue;
                }
                let parent_tree = self.commits.header(parent)?.tree;
                let source = if by_rename {
                    if blob_at(&mut self.commits.objects, &parent_tree, path)?.is_some() {
                        continue;
                    }
                    let found = self
                        .commits
                        .within_limits(&oid, |commits| rename_source(commits, &parent_tree, tree, path))?;
                    found.flatten()
                } else {
                    Some(path.to_vec())
                };
                let Some(source) = source else { continue };
                let Some(old) = blob_at(&mut self.commits.objects, &parent_tree, &source)? else { continue };
                if blob.is_some_and(|blob| blob.is_same_content(&old)) {
                    return Ok(vec![(*parent, source, old)]);
                }
                if !found.iter().flatten().any(|(.., known)| known.id == old.id) {
                    found[at] = Some((*parent, source, old));
                }
            }
        }
        Ok(found.into_iter().flatten().collect())
    }
}

/// Divides changed lines into those that replace a similar line of the old version, numbered as there, and the rest.
fn pass_changed_lines(before: &[u8], after: &[u8], kept: Vec<Pending>) -> (Vec<Pending>, Vec<Pending>) {
    let (old, new) = (lines(before), lines(after));
    let hunks = hunks(before, after);
    let (mut passed, mut rest) = (Vec::new(), Vec::new());
    for at in kept.into_iter().flat_map(|part| {
        (0..part.count).map(move |n| Pending {
            line: part.line + n,
            count: 1,
            source_line: part.source_line + n,
        })
    }) {
        let hunk = hunks.iter().find(|hunk| hunk.after.contains(&at.source_line));
        let source = hunk.and_then(|hunk| {
            let text = new.get(at.source_line as usize)?;
            let offset = at.source_line - hunk.after.start;
            let candidates = hunk.before.clone().take(MAX_COMPARED_LINES);
            let scored = candidates.map(|line| {
                let distance = (line - hunk.before.start).abs_diff(offset);
                (common_pairs(old[line as usize], text), std::cmp::Reverse(distance), line)
            });
            scored.max().filter(|(score, ..)| *score > 0).map(|(.., line)| line)
        });
        match source {
            Some(source_line) => passed.push(Pending { source_line, ..at }),
            None => rest.push(at),
        }
    }
    (passed, rest)
}

/// The number of distinct pairs of neighbouring bytes, without white space, that two lines have in common.
fn common_pairs(a: &[u8], b: &[u8]) -> usize {
    let pairs = |line: &[u8]| -> BTreeSet<(u8, u8)> {
        let dense: Vec<u8> = line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        dense.windows(2).map(|pair| (pair[0], pair[1])).collect()
    };
    pairs(a).intersection(&pairs(b)).count()
}

/// Divides lines into those that the old version has, renumbered, and the rest.
fn split(before: &Arc<Vec<u8>>, after: &Arc<Vec<u8>>, pending: Vec<Pending>) -> (Vec<Pending>, Vec<Pending>) {
    let hunks = hunks(before, after);
    let (mut passed, mut kept) = (Vec::new(), Vec::new());
    for lines in pending {
        let end = lines.source_line + lines.count;
        let mut at = lines.source_line;
        // The hunks before the lines only shift them.
        let first = hunks.partition_point(|hunk| hunk.after.end <= at);
        let mut shift = match first.checked_sub(1) {
            Some(last) => i64::from(hunks[last].before.end) - i64::from(hunks[last].after.end),
            None => 0,
        };
        let part = |from: u32, to: u32, shift: i64| Pending {
            line: lines.line + (from - lines.source_line),
            count: to - from,
            source_line: u32::try_from(i64::from(from) + shift).unwrap_or(0),
        };
        for hunk in &hunks[first..] {
            if hunk.after.start >= end {
                break;
            }
            if at < hunk.after.start {
                passed.push(part(at, hunk.after.start, shift));
                at = hunk.after.start;
            }
            let until = hunk.after.end.min(end);
            if at < until {
                kept.push(part(at, until, 0));
                at = until;
            }
            shift = i64::from(hunk.before.end) - i64::from(hunk.after.end);
        }
        if at < end {
            passed.push(part(at, end, shift));
        }
    }
    (passed, kept)
}
