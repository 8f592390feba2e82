//! The commit graph in memory.

use crate::codec::GraphCommit;

/// All indexed commits with their parents, by number.
#[derive(Clone, Debug, Default)]
pub struct CommitGraph {
    commits: Vec<GraphCommit>,
    /// For each segment: its first number, and the numbers before which paths and symbols are indexed.
    segments: Vec<Segment>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) first: u32,
    pub(super) paths_end: u32,
    pub(super) symbols_end: u32,
}

impl CommitGraph {
    /// Adds the commits of a segment.
    pub(super) fn push_segment(&mut self, segment: Segment, commits: Vec<GraphCommit>) {
        self.segments.push(segment);
        self.commits.extend(commits);
    }

    /// The number of commits, including those that are gone.
    pub fn len(&self) -> u32 {
        self.commits.len() as u32
    }

    /// Whether nothing is indexed.
    pub fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// The commit with a number.
    pub fn commit(&self, number: u32) -> Option<&GraphCommit> {
        self.commits.get(number as usize)
    }

    /// All commits that are in the repository, by number.
    pub fn present(&self) -> impl Iterator<Item = (u32, &GraphCommit)> {
        (0..).zip(&self.commits).filter(|(_, commit)| !commit.is_gone)
    }

    /// The number of the commit with an id.
    pub fn find(&self, id: &[u8]) -> Option<u32> {
        self.present().find(|(_, commit)| commit.id == id).map(|(number, _)| number)
    }

    /// Whether the changed paths of a commit are indexed.
    pub fn has_paths(&self, number: u32) -> bool {
        self.segment(number).is_some_and(|segment| number < segment.paths_end)
    }

    /// Whether the changed symbols and the terms of a commit are indexed.
    pub fn has_symbols(&self, number: u32) -> bool {
        self.segment(number).is_some_and(|segment| number < segment.symbols_end)
    }

    /// Which commits can be reached from these, by number.
    pub fn reachable(&self, from: impl IntoIterator<Item = u32>) -> Vec<bool> {
        let mut reached = vec![false; self.commits.len()];
        let mut stack: Vec<u32> = from.into_iter().collect();
        while let Some(number) = stack.pop() {
            let Some(seen) = reached.get_mut(number as usize) else { continue };
            if !std::mem::replace(seen, true) {
                stack.extend(&self.commits[number as usize].parents);
            }
        }
        reached
    }

    /// The order of indexing: by the age of the segment, then by number, which is newest first too.
    pub fn indexing_order(&self, number: u32) -> impl Ord + use<> {
        let first = self.segment(number).map_or(0, |segment| segment.first);
        (std::cmp::Reverse(self.commit(first).map_or(0, |commit| commit.time)), number)
    }

    fn segment(&self, number: u32) -> Option<&Segment> {
        let after = self.segments.partition_point(|segment| segment.first <= number);
        self.segments.get(after.checked_sub(1)?)
    }
}
