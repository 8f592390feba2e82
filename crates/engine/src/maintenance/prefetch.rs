//! Facts made before they are needed: of texts that the tree does not hold yet and may hold soon.

use crate::extraction::Language;
use crate::refresh::facts_batch::FactsBatch;
use crate::refresh::read_file::extracted;
use crate::{Engine, EngineError};
use orient_model::{RepoPath, Stamp};
use orient_store::{CacheKey, CacheState, INDEXED};
use orient_walk::Content;

/// Makes the facts of such texts, and keeps them where a refresh will look for them.
pub struct Ahead<'e> {
    engine: &'e Engine,
    batch: FactsBatch,
}

impl Engine {
    /// Begins to read ahead; nothing where nothing can be kept.
    pub fn ahead(&self) -> Option<Ahead<'_>> {
        let batch = FactsBatch::new(&self.place.cache(), true);
        let writable = matches!(batch.cache.state(), CacheState::Ready | CacheState::Recreated);
        writable.then(|| Ahead { engine: self, batch })
    }

    /// Which of these files are in the index with their facts.
    pub fn are_indexed(&self, paths: &[RepoPath]) -> Result<Vec<bool>, EngineError> {
        let snapshot = self.snapshot()?;
        let is_indexed = |path| Ok(snapshot.file(path)?.is_some_and(|file| file.status == INDEXED));
        paths.iter().map(is_indexed).collect()
    }
}

impl Ahead<'_> {
    /// Whether all of something was read before, as it would be read now.
    pub fn has_whole(&mut self, id: &[u8]) -> bool {
        let id = self.named(id);
        self.batch.cache.has_whole(&id)
    }

    /// Reads what may come to a path.
    pub fn read(&mut self, path: &RepoPath, raw: Vec<u8>) {
        if raw.len() as u64 > self.engine.settings.index.max_file_size.bytes() {
            return;
        }
        let Some(content) = Content::of(raw, Stamp::untrusted()) else { return };
        let language = self.engine.languages.detect(path, &content.bytes);
        let key = CacheKey::new(content.hash, Language::version(language));
        if !self.batch.cache.has(&key) {
            let (facts, _, origin) = extracted(key, language, &content.bytes);
            self.batch.add(origin, facts.outline());
        }
    }

    /// Keeps what was read.
    pub fn keep(&mut self) {
        self.batch.flush();
    }

    /// Keeps what was read, and notes that it was all of something.
    pub fn keep_whole(&mut self, id: &[u8]) {
        self.keep();
        let id = self.named(id);
        self.batch.cache.put_whole(&id);
    }

    /// Other languages, or other settings for them, make other facts of the same.
    fn named(&self, id: &[u8]) -> Vec<u8> {
        [id, &self.engine.languages.fingerprint().to_le_bytes()].concat()
    }
}
