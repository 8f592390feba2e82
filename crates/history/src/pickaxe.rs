//! The pickaxe: commits that change how often a text occurs.

use crate::commit_walk::CommitWalk;
use crate::error::HistoryError;
use crate::oid::Oid;
use crate::path_history::content;
use crate::renames;
use crate::revision::Commits;
use crate::tree_diff::{self, Blob, BlobKind, TreeChange};
use regex::bytes::Regex;
use std::collections::{BTreeMap, HashMap};

/// A file in which a commit changes the number of occurrences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PickaxeEntry {
    pub(crate) commit: Oid,
    pub(crate) path: Vec<u8>,
    /// The previous path, if the commit renames the file.
    pub(crate) old_path: Option<Vec<u8>>,
    pub(crate) before: u32,
    pub(crate) after: u32,
}

/// Counts occurrences commit by commit, newest first. Merges are omitted: what they bring is in their parents.
pub(crate) struct Pickaxe {
    walk: CommitWalk,
    pattern: Regex,
    counts: HashMap<Oid, u32>,
}

impl Pickaxe {
    pub(crate) fn new(commits: &mut Commits, start: Oid, pattern: Regex) -> Result<Self, HistoryError> {
        let mut walk = CommitWalk::default();
        walk.push(commits, start)?;
        Ok(Self { walk, pattern, counts: HashMap::new() })
    }

    /// The next commit with changed files, or `None` at the end of the history. `wanted` selects files by path.
    pub(crate) fn next(
        &mut self,
        commits: &mut Commits,
        wanted: &dyn Fn(&[u8]) -> bool,
    ) -> Result<Option<Vec<PickaxeEntry>>, HistoryError> {
        while let Some(oid) = self.walk.next(commits)? {
            let header = commits.header(&oid)?;
            let old_tree = match header.parents[..] {
                [] => None,
                [parent] => Some(commits.header(&parent)?.tree),
                _ => continue,
            };
            let entries = commits.within_limits(&oid, |commits| {
                let changes = tree_diff::diff(&mut commits.objects, old_tree, Some(header.tree))?;
                self.compare(commits, oid, &changes, wanted)
            })?;
            let entries = entries.unwrap_or_default();
            if !entries.is_empty() {
                return Ok(Some(entries));
            }
        }
        Ok(None)
    }

    fn compare(
        &mut self,
        commits: &mut Commits,
        commit: Oid,
        changes: &[TreeChange],
        wanted: &dyn Fn(&[u8]) -> bool,
    ) -> Result<Vec<PickaxeEntry>, HistoryError> {
        let mut counts = Vec::new();
        for (at, change) in changes.iter().enumerate() {
            if wanted(&change.path) {
                let (before, after) = (self.count(commits, change.old)?, self.count(commits, change.new)?);
                if before != after {
                    counts.push((at, before, after));
                }
            }
        }
        // A rename moves occurrences from a deleted file to an added one.
        let mut renamed_from: BTreeMap<usize, usize> = BTreeMap::new();
        let deletes = counts.iter().any(|&(at, ..)| changes[at].new.is_none());
        if deletes && counts.iter().any(|&(at, ..)| changes[at].old.is_none()) {
            for rename in renames::detect(&mut commits.objects, changes)? {
                renamed_from.insert(rename.to, rename.from);
            }
        }
        let mut entries = Vec::new();
        for &(at, before, after) in &counts {
            if renamed_from.values().any(|&from| from == at)
                && counts.iter().any(|&(to, ..)| renamed_from.get(&to) == Some(&at))
            {
                continue;
            }
            let source = renamed_from.get(&at).copied();
            let moved = source.and_then(|from| counts.iter().find(|&&(other, ..)| other == from));
            let before = moved.map_or(before, |&(_, before, _)| before);
            if before != after {
                entries.push(PickaxeEntry {
                    commit,
                    path: changes[at].path.clone(),
                    old_path: source.map(|from| changes[from].path.clone()),
                    before,
                    after,
                });
            }
        }
        Ok(entries)
    }

    fn count(&mut self, commits: &mut Commits, blob: Option<Blob>) -> Result<u32, HistoryError> {
        let Some(blob) = blob.filter(|blob| blob.kind != BlobKind::Submodule) else { return Ok(0) };
        if let Some(&count) = self.counts.get(&blob.id) {
            return Ok(count);
        }
        let text = content(commits, Some(blob))?;
        let count = u32::try_from(self.pattern.find_iter(&text).count()).unwrap_or(u32::MAX);
        self.counts.insert(blob.id, count);
        Ok(count)
    }
}
