//! A sharded cache for many threads, bounded by weight.

use rustc_hash::{FxBuildHasher, FxHashMap};
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::sync::{Mutex, PoisonError};

/// Number of shards, each with its own lock.
const SHARDS: usize = 16;

/// A cache with two generations in each shard. A hit moves an entry to the young generation; when that is full, it
/// becomes the old one and the old one is dropped.
pub(crate) struct ShardedCache<K, V> {
    shards: [Mutex<Shard<K, V>>; SHARDS],
    /// Maximum weight of one generation of one shard.
    most: usize,
}

struct Shard<K, V> {
    young: FxHashMap<K, V>,
    old: FxHashMap<K, V>,
    weight: usize,
}

impl<K: Hash + Eq + Clone, V: Clone> ShardedCache<K, V> {
    /// A cache for entries of this total weight.
    pub(crate) fn new(most: usize) -> Self {
        let shard =
            || Mutex::new(Shard { young: FxHashMap::default(), old: FxHashMap::default(), weight: 0 });
        Self { shards: std::array::from_fn(|_| shard()), most: most / SHARDS / 2 }
    }

    /// The cached value.
    pub(crate) fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let mut shard = self.shard(key);
        if let Some(known) = shard.young.get(key) {
            return Some(known.clone());
        }
        let (key, value) = shard.old.remove_entry(key)?;
        shard.young.insert(key, value.clone());
        Some(value)
    }

    /// Caches a value of this weight.
    pub(crate) fn put(&self, key: K, value: V, weight: usize) {
        let mut shard = self.shard::<K>(&key);
        if shard.weight + weight > self.most {
            shard.old = std::mem::take(&mut shard.young);
            shard.weight = 0;
        }
        shard.weight += weight;
        shard.young.insert(key, value);
    }

    fn shard<Q: Hash + ?Sized>(&self, key: &Q) -> std::sync::MutexGuard<'_, Shard<K, V>> {
        // The upper bits: the hash maps use the lower ones.
        let at = (FxBuildHasher.hash_one(key) >> 40) as usize % SHARDS;
        self.shards[at].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_in_use_stay_and_the_others_are_evicted() {
        let shared: ShardedCache<u32, u32> = ShardedCache::new(SHARDS * 2 * 8);
        shared.put(0, 7, 1);
        for key in 1..10_000 {
            shared.put(key, key, 1);
            assert_eq!(shared.get(&0), Some(7), "looked up all the time");
        }
        assert_eq!(shared.get(&1), None);
        let held: usize = shared
            .shards
            .iter()
            .map(|shard| {
                let shard = shard.lock().expect("no thread failed");
                shard.young.len() + shard.old.len()
            })
            .sum();
        assert!(held <= SHARDS * 2 * 9, "bounded: {held}");
    }
}
