//! Cache of the newest corpora. A new corpus is derived from the previous one through the change log.

use super::corpus::Corpus;
use crate::EngineError;
use crate::change_log::ChangeLog;
use orient_store::Snapshot;
use std::sync::{Arc, Mutex, PoisonError};

/// Number of corpora kept: while files change, some readers still use the previous generation.
const MAX_CORPORA: usize = 2;

/// The corpora of the newest queried generations, ordered by generation.
#[derive(Default)]
pub(crate) struct CorpusCache(Mutex<Vec<Arc<Corpus>>>);

impl CorpusCache {
    /// Clears the cache, because the index was replaced.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The corpus of a snapshot.
    pub(crate) fn get(
        &self,
        change_log: &ChangeLog,
        snapshot: &Snapshot,
    ) -> Result<Arc<Corpus>, EngineError> {
        let generation = snapshot.generation();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(corpus) = kept.iter().find(|corpus| corpus.generation == generation) {
            return Ok(Arc::clone(corpus));
        }
        let before = kept.iter().rfind(|corpus| corpus.generation < generation);
        let follows = before
            .and_then(|corpus| Some((corpus, change_log.changed_between(corpus.generation, generation)?)));
        let corpus = Arc::new(match follows {
            Some((before, paths)) => Corpus::after(before, &paths, snapshot)?,
            None => Corpus::read(snapshot)?,
        });
        kept.push(Arc::clone(&corpus));
        kept.sort_by_key(|corpus| corpus.generation);
        if kept.len() > MAX_CORPORA {
            kept.remove(0);
        }
        Ok(corpus)
    }
}
