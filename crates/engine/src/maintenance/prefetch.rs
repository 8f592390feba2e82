//! Prefetch: extracts facts of files that the tree does not have yet, such as those of other branches, into the
//! cache.

use crate::extraction::Language;
use crate::refresh::{FactsBatch, extracted};
use crate::{Engine, EngineError};
use orient_model::{RepoPath, Stamp};
use orient_store::{CacheKey, CacheState, INDEXED};
use orient_walk::Content;

/// Extracts facts ahead of a refresh and stores them in the cache.
pub struct Prefetcher<'e> {
    engine: &'e Engine,
    batch: FactsBatch,
}

impl Engine {
    /// Starts prefetching; `None` if the cache cannot be written.
    pub fn prefetcher(&self) -> Option<Prefetcher<'_>> {
        let batch = FactsBatch::new(&self.paths.cache(), true);
        let writable = matches!(batch.cache.state(), CacheState::Ready | CacheState::Recreated);
        writable.then(|| Prefetcher { engine: self, batch })
    }

    /// Which of these files are indexed with facts.
    pub fn are_indexed(&self, paths: &[RepoPath]) -> Result<Vec<bool>, EngineError> {
        let snapshot = self.snapshot()?;
        let is_indexed = |path| Ok(snapshot.file(path)?.is_some_and(|file| file.status == INDEXED));
        paths.iter().map(is_indexed).collect()
    }
}

impl Prefetcher<'_> {
    /// Whether the set of files with this id was prefetched completely by this version.
    pub fn has_commit(&mut self, id: &[u8]) -> bool {
        let id = self.named(id);
        self.batch.cache.has_commit(&id)
    }

    /// Extracts the facts of a file that may appear at a path.
    pub fn read(&mut self, path: &RepoPath, raw: Vec<u8>) {
        if raw.len() as u64 > self.engine.settings.index.max_file_size.bytes() {
            return;
        }
        let Some(content) = Content::of(raw, Stamp::untrusted()) else { return };
        let language = self.engine.classifier.detect(path, &content.bytes);
        let key = CacheKey::new(content.hash, Language::version_of(language, path));
        if !self.batch.cache.has(&key) {
            let (facts, _, origin) = extracted(key, language, path, &content.bytes);
            self.batch.add(origin, facts.outline());
        }
    }

    /// Writes the extracted facts to the cache.
    pub fn keep(&mut self) {
        self.batch.flush();
    }

    /// Writes the extracted facts and marks the set of files with this id as complete.
    pub fn record_commit(&mut self, id: &[u8]) {
        self.keep();
        let id = self.named(id);
        self.batch.cache.record_commit(&id);
    }

    /// Extends an id with the extraction version: other languages or settings give different facts.
    fn named(&self, id: &[u8]) -> Vec<u8> {
        [id, &self.engine.classifier.extraction_version().to_le_bytes()].concat()
    }
}
