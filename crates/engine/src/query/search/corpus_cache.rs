//! Which corpora are kept, and from which of them the next one follows.

use super::corpus::Corpus;
use super::name_cache::Names;
use crate::EngineError;
use crate::change_log::Steps;
use orient_store::Snapshot;
use std::sync::{Arc, Mutex, PoisonError};

/// How many are kept: while files change, some still ask about the generation before.
const KEPT: usize = 2;

/// The corpora of the newest generations that were asked; shared by an engine and its snapshots.
#[derive(Clone, Default)]
pub(crate) struct Corpora {
    /// The newest is the last.
    kept: Arc<Mutex<Vec<Arc<Corpus>>>>,
    names: Names,
    steps: Steps,
}

impl crate::Snapshot {
    /// The names of symbols that are nearly `name`, nearest first: what was meant, perhaps.
    pub fn similar_names(&self, name: &str, limit: usize) -> Result<Vec<String>, EngineError> {
        let distance = if name.chars().count() < 5 { 1 } else { 2 };
        let sheet = self.corpora.names.of(&self.store, &self.corpora.steps)?;
        Ok(self.store.similar_names(name, distance, limit, sheet.as_deref())?)
    }

    /// Makes ready what a search needs of the index as a whole, which the first search of a generation does otherwise.
    pub fn prepare_search(&self) -> Result<(), EngineError> {
        self.corpora.of(&self.store).map(drop)
    }
}

impl Corpora {
    pub(crate) fn new(steps: &Steps) -> Self {
        Self { kept: Arc::default(), names: Names::default(), steps: steps.clone() }
    }

    /// Forgets everything: the index is another one.
    pub(crate) fn clear(&self) {
        self.names.clear();
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The corpus of a snapshot.
    pub(crate) fn of(&self, snapshot: &Snapshot) -> Result<Arc<Corpus>, EngineError> {
        let generation = snapshot.generation();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(corpus) = kept.iter().find(|corpus| corpus.generation == generation) {
            return Ok(Arc::clone(corpus));
        }
        let before = kept.iter().rfind(|corpus| corpus.generation < generation);
        let follows =
            before.and_then(|corpus| Some((corpus, self.steps.between(corpus.generation, generation)?)));
        let corpus = Arc::new(match follows {
            Some((before, paths)) => Corpus::after(before, &paths, snapshot)?,
            None => Corpus::read(snapshot)?,
        });
        kept.push(Arc::clone(&corpus));
        kept.sort_by_key(|corpus| corpus.generation);
        if kept.len() > KEPT {
            kept.remove(0);
        }
        Ok(corpus)
    }
}
