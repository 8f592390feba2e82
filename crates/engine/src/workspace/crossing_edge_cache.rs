//! Edges from the files of one root to another root, kept across questions: to resolve a file with two roots in view costs far more than
//! to look at the edges.

use orient_store::{EdgeRow, FileId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of files whose edges are kept for a root.
const MAX_FILES: usize = 20_000;

/// A pair of generations: edges between them never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RootPair {
    /// The index that the edges lead to; no two indexes of a process have the same number.
    pub(crate) home: u64,
    pub(crate) home_generation: u64,
    pub(crate) own_generation: u64,
}

/// The edges of files of a root.
#[derive(Default)]
pub(crate) struct CrossingEdgeCache(Mutex<CachedEdges>);

#[derive(Default)]
struct CachedEdges {
    pairs: HashMap<RootPair, PairEdges>,
    files: usize,
    /// Counts uses.
    clock: u64,
}

#[derive(Default)]
struct PairEdges {
    used: u64,
    files: HashMap<FileId, Arc<[EdgeRow]>>,
}

impl CrossingEdgeCache {
    fn lock(&self) -> MutexGuard<'_, CachedEdges> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets all edges, because the index was replaced.
    pub(crate) fn clear(&self) {
        *self.lock() = CachedEdges::default();
    }

    /// The known edges of these files, and the files whose edges are not known.
    pub(crate) fn known(&self, pair: RootPair, files: &[FileId]) -> (Vec<Arc<[EdgeRow]>>, Vec<FileId>) {
        let mut cached = self.lock();
        cached.clock += 1;
        let clock = cached.clock;
        let Some(edges) = cached.pairs.get_mut(&pair) else { return (Vec::new(), files.to_vec()) };
        edges.used = clock;
        let missing = files.iter().filter(|file| !edges.files.contains_key(file)).copied().collect();
        (files.iter().filter_map(|file| edges.files.get(file).cloned()).collect(), missing)
    }

    /// Keeps the edges of files; drops those of the pairs that were used least recently.
    pub(crate) fn keep(&self, pair: RootPair, found: impl IntoIterator<Item = (FileId, Arc<[EdgeRow]>)>) {
        let mut cached = self.lock();
        cached.clock += 1;
        let clock = cached.clock;
        let edges = cached.pairs.entry(pair).or_default();
        edges.used = clock;
        let before = edges.files.len();
        edges.files.extend(found);
        cached.files += cached.pairs[&pair].files.len() - before;
        while cached.files > MAX_FILES {
            let oldest = cached.pairs.iter().min_by_key(|(_, edges)| edges.used).map(|(pair, _)| *pair);
            let Some(dropped) = oldest.and_then(|oldest| cached.pairs.remove(&oldest)) else { return };
            cached.files -= dropped.files.len();
        }
    }
}

/// The number of an index in this process. It gets another one when it is replaced, since its generations start over.
#[derive(Debug)]
pub(crate) struct IndexNumber(AtomicU64);

impl Default for IndexNumber {
    fn default() -> Self {
        Self(AtomicU64::new(next_number()))
    }
}

fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl IndexNumber {
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn renew(&self) {
        self.0.store(next_number(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(home: u64) -> RootPair {
        RootPair { home, home_generation: 1, own_generation: 1 }
    }

    #[test]
    fn edges_are_those_of_a_pair_of_generations() {
        let cache = CrossingEdgeCache::default();
        let files: Vec<FileId> = (0..3).map(FileId).collect();
        cache.keep(pair(1), [(files[1], Arc::from([]))]);
        let (known, missing) = cache.known(pair(1), &files);
        assert_eq!((known.len(), missing), (1, vec![files[0], files[2]]));
        let newer = RootPair { own_generation: 2, ..pair(1) };
        for other in [pair(2), newer] {
            assert_eq!(cache.known(other, &files).1, files);
        }
        cache.clear();
        assert_eq!(cache.known(pair(1), &files).1, files);
    }

    #[test]
    fn what_was_used_least_recently_makes_room() {
        let cache = CrossingEdgeCache::default();
        let half = || (0_i64..).take(MAX_FILES / 2).map(|file| (FileId(file), Arc::from([])));
        cache.keep(pair(1), half());
        cache.keep(pair(2), half());
        assert!(cache.known(pair(1), &[FileId(0)]).1.is_empty(), "both fit");
        cache.keep(pair(3), half());
        assert_eq!(cache.known(pair(2), &[FileId(0)]).1, [FileId(0)], "it was used least recently");
        assert!(cache.known(pair(1), &[FileId(0)]).1.is_empty());
    }

    #[test]
    fn a_replaced_index_has_another_number() {
        let (one, other) = (IndexNumber::default(), IndexNumber::default());
        let before = one.get();
        one.renew();
        assert!(before != one.get() && one.get() != other.get());
    }
}
