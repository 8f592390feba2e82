//! Spell correction of query words that do not occur in the index.

use crate::{EngineError, Snapshot};
use orient_text::{for_each_term, term_hash};

/// Maximum number of corrections per word.
const MAX_CORRECTIONS: usize = 3;
/// Minimum length of a word to correct: shorter ones are close to too many names.
const MIN_WORD_CHARS: usize = 4;

/// A correction of a word.
pub(super) struct SpellingCandidate {
    /// The symbol name.
    pub(super) name: String,
    /// Its term number.
    pub(super) number: u32,
}

impl Snapshot {
    /// Symbol names within a small edit distance of `name`, nearest first.
    pub fn similar_names(&self, name: &str, limit: usize) -> Result<Vec<String>, EngineError> {
        let distance = if name.chars().count() < 5 { 1 } else { 2 };
        let names = self.caches.names(&self.store)?;
        Ok(self.store.similar_names(name, distance, limit, names.as_deref())?)
    }

    /// Symbol names within edit distance one or two of a word, nearest first.
    pub(super) fn corrections(&self, word: &str) -> Result<Vec<SpellingCandidate>, EngineError> {
        let mut near: Vec<SpellingCandidate> = Vec::new();
        if word.chars().count() < MIN_WORD_CHARS {
            return Ok(near);
        }
        for name in self.similar_names(word, MAX_CORRECTIONS)? {
            let mut last = None;
            for_each_term(name.as_bytes(), |term, _| last = Some(term_hash(term)));
            near.extend(last.map(|number| SpellingCandidate { name, number }));
        }
        Ok(near)
    }
}
