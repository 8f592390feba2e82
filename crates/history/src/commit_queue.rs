//! A priority queue of commits: the newest first; of commits of the same time, the one found first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Commits that wait to be visited. `K` identifies a commit.
pub(crate) struct CommitQueue<K> {
    heap: BinaryHeap<(i64, Reverse<u64>, K)>,
    found: u64,
}

impl<K: Ord> Default for CommitQueue<K> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), found: 0 }
    }
}

impl<K: Ord> CommitQueue<K> {
    /// Adds a commit of this time.
    pub(crate) fn push(&mut self, time: i64, commit: K) {
        self.found += 1;
        self.heap.push((time, Reverse(self.found), commit));
    }

    /// Removes the newest commit.
    pub(crate) fn pop(&mut self) -> Option<K> {
        self.heap.pop().map(|(_, _, commit)| commit)
    }
}

#[cfg(test)]
mod tests {
    use super::CommitQueue;

    #[test]
    fn commits_of_equal_time_leave_in_the_order_they_were_found() {
        let mut queue = CommitQueue::default();
        for (time, commit) in [(5, 'a'), (7, 'z'), (5, 'b'), (-3, 'c'), (7, 'd')] {
            queue.push(time, commit);
        }
        let order: String = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, "zdabc");
    }
}
