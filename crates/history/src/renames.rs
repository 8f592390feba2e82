//! Rename detection, as git does it: pairs of a deleted and an added file with equal or similar content.
//!
//! Equal contents are paired first, then similar files with the same unique name, then the most similar of the rest.

use crate::error::HistoryError;
use crate::object_store::{ObjectKind, ObjectStore};
use crate::oid::Oid;
use crate::similarity::{MAX_SCORE, MIN_NAMESAKE_SCORE, MIN_SCORE, Spans, sizes_differ_too_much};
use crate::tree_diff::{self, Blob, BlobKind, TreeChange};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// If there are more pairs to compare, only equal files and namesakes are paired: git's default limit.
const MAX_PAIRS: usize = 1000 * 1000;
/// If one content was deleted and added so often that there are more pairs, the files are paired in the order of their paths.
const MAX_EQUAL_PAIRS: usize = 1 << 16;
/// Number of candidates kept for each added file.
const CANDIDATES: usize = 4;

/// A deleted and an added file that are the same file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rename {
    /// Position of the deletion among the changes.
    pub(crate) from: usize,
    /// Position of the addition among the changes.
    pub(crate) to: usize,
    /// Similarity of the contents in percent.
    pub(crate) similarity: u8,
}

/// A file that may be one side of a rename.
struct Candidate<'c> {
    at: usize,
    path: &'c [u8],
    blob: Blob,
}

/// The renames among the changes of a commit.
pub(crate) fn detect(objects: &mut ObjectStore, changes: &[TreeChange]) -> Result<Vec<Rename>, HistoryError> {
    let side = |old: bool| -> Vec<Candidate<'_>> {
        let blob = |change: &TreeChange| match (change.old, change.new) {
            (Some(blob), None) if old => Some(blob),
            (None, Some(blob)) if !old => Some(blob),
            _ => None,
        };
        let numbered = changes.iter().enumerate();
        numbered
            .filter_map(|(at, change)| Some(Candidate { at, path: &change.path, blob: blob(change)? }))
            .filter(|candidate| candidate.blob.kind != BlobKind::Submodule)
            .collect()
    };
    let (mut deleted, mut added) = (side(true), side(false));
    let mut renames = Vec::new();
    if deleted.is_empty() || added.is_empty() {
        return Ok(renames);
    }
    pair_equal(&mut deleted, &mut added, &mut renames);
    let mut spans = SpanCache::default();
    deleted.retain(|candidate| candidate.blob.kind == BlobKind::File);
    added.retain(|candidate| candidate.blob.kind == BlobKind::File);
    pair_namesakes(objects, &mut spans, &mut deleted, &mut added, &mut renames)?;
    if deleted.len().saturating_mul(added.len()) <= MAX_PAIRS {
        pair_similar(objects, &mut spans, &deleted, &added, &mut renames)?;
    }
    renames.sort_unstable_by_key(|rename| rename.to);
    Ok(renames)
}

/// Pairs files with equal content. Of several, those whose paths share the longest end belong together: git only compares their names, so
/// that when directories of files with equal content move, it pairs files of different directories.
fn pair_equal(deleted: &mut Vec<Candidate<'_>>, added: &mut Vec<Candidate<'_>>, renames: &mut Vec<Rename>) {
    let mut by_content: BTreeMap<(Oid, BlobKind), (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for (at, candidate) in deleted.iter().enumerate() {
        by_content.entry((candidate.blob.id, candidate.blob.kind)).or_default().0.push(at);
    }
    for (at, candidate) in added.iter().enumerate() {
        if let Some((_, targets)) = by_content.get_mut(&(candidate.blob.id, candidate.blob.kind)) {
            targets.push(at);
        }
    }
    let mut pairs = Vec::new();
    for (sources, targets) in by_content.values() {
        let chosen: Vec<(usize, usize)> = if sources.len().saturating_mul(targets.len()) <= MAX_EQUAL_PAIRS {
            targets.iter().flat_map(|&to| sources.iter().map(move |&from| (from, to))).collect()
        } else {
            sources.iter().copied().zip(targets.iter().copied()).collect()
        };
        for (from, to) in chosen {
            pairs.push((Reverse(common_end(deleted[from].path, added[to].path)), to, from));
        }
    }
    pairs.sort_unstable();
    let (mut used, mut paired) = (vec![false; deleted.len()], vec![false; added.len()]);
    for (_, to, from) in pairs {
        if !used[from] && !paired[to] {
            (used[from], paired[to]) = (true, true);
            renames.push(Rename { from: deleted[from].at, to: added[to].at, similarity: 100 });
        }
    }
    retain_unmarked(deleted, &used);
    retain_unmarked(added, &paired);
}

/// How much the ends of two paths have in common: whether the names are equal, and the number of bytes.
fn common_end(a: &[u8], b: &[u8]) -> (bool, usize) {
    let bytes = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    (name(a) == name(b), bytes)
}

fn retain_unmarked(candidates: &mut Vec<Candidate<'_>>, marks: &[bool]) {
    let mut marks = marks.iter();
    candidates.retain(|_| marks.next() != Some(&true));
}

/// Pairs similar files whose name is unique among the deleted and among the added files.
fn pair_namesakes(
    objects: &mut ObjectStore,
    spans: &mut SpanCache,
    deleted: &mut Vec<Candidate<'_>>,
    added: &mut Vec<Candidate<'_>>,
    renames: &mut Vec<Rename>,
) -> Result<(), HistoryError> {
    let unique = |side: &[Candidate<'_>]| {
        let mut names: BTreeMap<Vec<u8>, Option<usize>> = BTreeMap::new();
        for (at, candidate) in side.iter().enumerate() {
            names.entry(name(candidate.path).to_vec()).and_modify(|slot| *slot = None).or_insert(Some(at));
        }
        names
    };
    let (sources, targets) = (unique(deleted), unique(added));
    let (mut gone, mut found) = (Vec::new(), Vec::new());
    for (name, from) in sources {
        let (Some(from), Some(Some(to))) = (from, targets.get(&name)) else { continue };
        let (source, target) = (&deleted[from], &added[*to]);
        let score = spans.score(objects, &source.blob.id, &target.blob.id)?;
        if score >= MIN_NAMESAKE_SCORE {
            renames.push(Rename { from: source.at, to: target.at, similarity: percent(score) });
            gone.push(source.at);
            found.push(target.at);
        }
    }
    deleted.retain(|candidate| !gone.contains(&candidate.at));
    added.retain(|candidate| !found.contains(&candidate.at));
    Ok(())
}

/// Pairs the most similar files first.
fn pair_similar(
    objects: &mut ObjectStore,
    spans: &mut SpanCache,
    deleted: &[Candidate<'_>],
    added: &[Candidate<'_>],
    renames: &mut Vec<Rename>,
) -> Result<(), HistoryError> {
    // Score, whether the names are equal, then the order of paths.
    let mut pairs: Vec<(Reverse<u64>, Reverse<bool>, usize, usize)> = Vec::new();
    for (to, target) in added.iter().enumerate() {
        let mut best = Vec::new();
        for (from, source) in deleted.iter().enumerate() {
            let score = spans.score(objects, &source.blob.id, &target.blob.id)?;
            best.push((Reverse(score), Reverse(name(source.path) == name(target.path)), to, from));
        }
        best.sort_unstable();
        best.truncate(CANDIDATES);
        pairs.extend(best);
    }
    pairs.sort_unstable();
    let (mut used, mut paired) = (vec![false; deleted.len()], vec![false; added.len()]);
    for (Reverse(score), _, to, from) in pairs {
        if score >= MIN_SCORE && !used[from] && !paired[to] {
            (used[from], paired[to]) = (true, true);
            renames.push(Rename { from: deleted[from].at, to: added[to].at, similarity: percent(score) });
        }
    }
    Ok(())
}

/// The file of a tree from which an added file was renamed or copied: one with equal content, else the most similar one.
/// `deleted` says which files the commit deletes; they are preferred.
pub(crate) fn source_of(
    objects: &mut ObjectStore,
    parent_tree: &Oid,
    path: &[u8],
    blob: Blob,
    deleted: &dyn Fn(&[u8]) -> bool,
) -> Result<Option<Vec<u8>>, HistoryError> {
    if blob.kind == BlobKind::Submodule {
        return Ok(None);
    }
    let files = tree_diff::diff(objects, None, Some(*parent_tree))?;
    let files: Vec<(Vec<u8>, Blob)> =
        files.into_iter().filter_map(|change| Some((change.path, change.new?))).collect();
    let rank = |source: &[u8]| {
        let (is_namesake, bytes) = common_end(source, path);
        (u8::from(deleted(source)) + u8::from(is_namesake), bytes)
    };
    let mut equal: Option<((u8, usize), &[u8])> = None;
    for (source, content) in &files {
        if content.is_same_content(&blob) && equal.is_none_or(|(best, _)| rank(source) > best) {
            equal = Some((rank(source), source));
        }
    }
    if let Some((_, source)) = equal {
        return Ok(Some(source.to_vec()));
    }
    if blob.kind != BlobKind::File {
        return Ok(None);
    }
    let mut spans = SpanCache::default();
    let mut best = Vec::new();
    for (source, content) in &files {
        if content.kind != BlobKind::File {
            continue;
        }
        let score = spans.score(objects, &content.id, &blob.id)?;
        spans.forget(&content.id);
        best.push((Reverse(score), Reverse(name(source) == name(path)), source));
        best.sort();
        best.truncate(CANDIDATES);
    }
    best.retain(|(Reverse(score), ..)| *score >= MIN_SCORE);
    let source = best.iter().find(|(.., source)| deleted(source)).or(best.first());
    Ok(source.map(|(.., source)| (*source).clone()))
}

/// The last component of a path.
fn name(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

fn percent(score: u64) -> u8 {
    u8::try_from(score * 100 / MAX_SCORE).unwrap_or(100)
}

/// Maximum number of spans in memory, about 16 bytes each.
const MAX_SPANS: usize = 8_000_000;
/// Maximum number of spans that are compared for one commit: some seconds.
const MAX_COMPARED: u64 = 4_000_000_000;

/// The spans of contents that were compared. Blobs that are too large are not similar to any.
#[derive(Default)]
struct SpanCache {
    known: HashMap<Oid, Option<Spans>>,
    spans: usize,
    compared: u64,
}

impl SpanCache {
    fn score(&mut self, objects: &mut ObjectStore, a: &Oid, b: &Oid) -> Result<u64, HistoryError> {
        let (Some(a_size), Some(b_size)) = (objects.size(a)?, objects.size(b)?) else { return Ok(0) };
        if a_size == 0 || b_size == 0 || sizes_differ_too_much(a_size, b_size) {
            return Ok(0);
        }
        for oid in [a, b] {
            if !self.known.contains_key(oid) {
                let spans = match objects.get(oid, ObjectKind::Blob) {
                    Ok(object) => Spans::new(&object.data, MAX_SPANS.saturating_sub(self.spans)),
                    Err(HistoryError::Io(_) | HistoryError::NotFetched(_)) => None,
                    Err(error) => return Err(error),
                };
                objects.left_out |= spans.is_none();
                self.spans += spans.as_ref().map_or(0, Spans::len);
                self.known.insert(*oid, spans);
            }
        }
        let (Some(Some(a)), Some(Some(b))) = (self.known.get(a), self.known.get(b)) else { return Ok(0) };
        self.compared += (a.len() + b.len()) as u64;
        if self.compared > MAX_COMPARED {
            objects.left_out = true;
            return Ok(0);
        }
        Ok(a.score(b))
    }

    fn forget(&mut self, oid: &Oid) {
        let spans = self.known.remove(oid).flatten();
        self.spans -= spans.as_ref().map_or(0, Spans::len);
    }
}
