//! Batches facts for the cache, and writes them in transactions of a few megabytes.

use crate::clock::today;
use crate::refresh::read_file::FactsOrigin;
use orient_store::{Cache, CacheKey, CachedFacts, Encoded};
use std::path::Path;

/// Large enough to amortise a transaction, small compared to the memory limit.
const BATCH_BYTES: usize = 4 << 20;

/// Facts to be written to the cache.
pub(crate) struct FactsBatch {
    pub(crate) cache: Cache,
    day: u32,
    fresh: Vec<(CacheKey, CachedFacts)>,
    fresh_bytes: usize,
    used: Vec<CacheKey>,
}

impl FactsBatch {
    /// A batch for the cache at a path; if `keeps` is false, facts are dropped.
    pub(crate) fn new(cache: &Path, keeps: bool) -> Self {
        let cache = if keeps { Cache::open(cache) } else { Cache::off() };
        Self { cache, day: today(), fresh: Vec::new(), fresh_bytes: 0, used: Vec::new() }
    }

    /// Adds the facts of a file: new ones are stored, cached ones are marked as used.
    pub(crate) fn add(&mut self, origin: FactsOrigin, outline: &Encoded) {
        match origin {
            FactsOrigin::Cached(key) => self.used.push(key),
            FactsOrigin::Extracted { key, flow } => {
                self.fresh_bytes += outline.as_bytes().len() + flow.as_bytes().len();
                self.fresh.push((key, CachedFacts { outline: outline.clone(), flow }));
            }
        }
        if self.fresh_bytes >= BATCH_BYTES {
            self.flush();
        }
    }

    /// Writes the batch.
    pub(crate) fn flush(&mut self) {
        if !self.fresh.is_empty() {
            self.cache.put_many(self.fresh.iter().map(|(key, facts)| (*key, facts)), self.day);
            self.fresh.clear();
            self.fresh_bytes = 0;
        }
        if !self.used.is_empty() {
            self.cache.touch(self.used.drain(..), self.day);
        }
    }
}
