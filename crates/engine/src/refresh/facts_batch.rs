//! Facts on their way into the cache: collected, and written in transactions of a few megabytes.

use crate::refresh::read_file::Origin;
use orient_store::{Cache, CacheKey, CachedFacts, Encoded};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Large enough to make the cost of a transaction vanish, small beside the memory ceiling.
const BATCH: usize = 4 << 20;

/// Facts that wait to be written to the cache.
pub(crate) struct FactsBatch {
    pub(crate) cache: Cache,
    day: u32,
    fresh: Vec<(CacheKey, CachedFacts)>,
    fresh_bytes: usize,
    used: Vec<CacheKey>,
}

impl FactsBatch {
    /// A batch for the cache at a path; one that does not keep facts drops them.
    pub(crate) fn new(cache: &Path, keeps: bool) -> Self {
        let cache = if keeps { Cache::open(cache) } else { Cache::off() };
        Self { cache, day: today(), fresh: Vec::new(), fresh_bytes: 0, used: Vec::new() }
    }

    /// Takes note of where the facts of a file come from.
    pub(crate) fn add(&mut self, origin: Origin, outline: &Encoded) {
        match origin {
            Origin::Cached(key) => self.used.push(key),
            Origin::Extracted { key, flow } => {
                self.fresh_bytes += outline.as_bytes().len() + flow.as_bytes().len();
                self.fresh.push((key, CachedFacts { outline: outline.clone(), flow }));
            }
        }
        if self.fresh_bytes >= BATCH {
            self.flush();
        }
    }

    /// Writes what waits.
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

/// The number of the day, for telling what was not used in a long time.
pub(crate) fn today() -> u32 {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    u32::try_from(seconds / 86_400).unwrap_or(u32::MAX)
}
