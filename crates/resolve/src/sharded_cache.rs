//! Answers that all files share: looked up from many threads, and bounded in number.

use rustc_hash::{FxBuildHasher, FxHashMap};
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::sync::{Mutex, PoisonError};

/// Parts of a table, each behind a lock of its own.
const SHARDS: usize = 16;

/// A table of answers. What was asked for lately stays: each part holds those of two periods, and forgets the older
/// ones when the younger ones are too many.
pub(crate) struct ShardedCache<K, V> {
    shards: [Mutex<Shard<K, V>>; SHARDS],
    /// How much the answers of one period in one part may weigh.
    most: usize,
}

struct Shard<K, V> {
    young: FxHashMap<K, V>,
    old: FxHashMap<K, V>,
    weight: usize,
}

impl<K: Hash + Eq + Clone, V: Clone> ShardedCache<K, V> {
    /// A table for answers that weigh this much together.
    pub(crate) fn new(most: usize) -> Self {
        let shard =
            || Mutex::new(Shard { young: FxHashMap::default(), old: FxHashMap::default(), weight: 0 });
        Self { shards: std::array::from_fn(|_| shard()), most: most / SHARDS / 2 }
    }

    /// The answer that is known.
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

    /// Keeps an answer of this weight.
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
        // The upper bits: the tables inside take the lower ones.
        let at = (FxBuildHasher.hash_one(key) >> 40) as usize % SHARDS;
        self.shards[at].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_the_rest_goes() {
        let shared: ShardedCache<u32, u32> = ShardedCache::new(SHARDS * 2 * 8);
        shared.put(0, 7, 1);
        for key in 1..10_000 {
            shared.put(key, key, 1);
            assert_eq!(shared.get(&0), Some(7), "asked for all the time");
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
