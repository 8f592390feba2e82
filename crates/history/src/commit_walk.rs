//! Walks commits from tips to roots, newest first, as `git log` does.
//!
//! Our own rather than a library's: it stops at the boundary of a shallow clone, follows grafts, and shares the parsed
//! headers with blame and merge bases.

use crate::commit_queue::CommitQueue;
use crate::error::HistoryError;
use crate::oid::Oid;
use crate::revision::Commits;
use std::collections::HashSet;

/// The commits that are reachable from tips, newest first. Each is visited once.
#[derive(Default)]
pub(crate) struct CommitWalk {
    queue: CommitQueue<Oid>,
    seen: HashSet<Oid>,
}

impl CommitWalk {
    /// Adds a start.
    pub(crate) fn push(&mut self, commits: &mut Commits, oid: Oid) -> Result<(), HistoryError> {
        if self.seen.insert(oid) {
            self.queue.push(commits.header(&oid)?.time, oid);
        }
        Ok(())
    }

    /// Excludes a commit, though not its ancestors.
    pub(crate) fn exclude(&mut self, oid: Oid) {
        self.seen.insert(oid);
    }

    /// The next commit. Its parents are visited later.
    pub(crate) fn next(&mut self, commits: &mut Commits) -> Result<Option<Oid>, HistoryError> {
        let Some(oid) = self.queue.pop() else { return Ok(None) };
        for parent in &commits.header(&oid)?.parents {
            self.push(commits, *parent)?;
        }
        Ok(Some(oid))
    }
}
