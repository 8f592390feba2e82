//! Words that stand nowhere: what was perhaps meant.

use crate::{EngineError, Snapshot};
use orient_text::{for_each_term, term_hash};

/// How many words may take the place of one.
const OFFERED: usize = 3;
/// Shorter words are near to too much.
const SHORTEST: usize = 4;

/// A word in the place of another.
pub(super) struct Near {
    /// As names have it.
    pub(super) name: String,
    /// The number of its term.
    pub(super) number: u32,
    pub(super) whole: bool,
}

impl Snapshot {
    /// Names of the index that are one or two typing mistakes from a word, nearest first.
    pub(super) fn near_words(&self, word: &str) -> Result<Vec<Near>, EngineError> {
        let mut near: Vec<Near> = Vec::new();
        if word.chars().count() < SHORTEST {
            return Ok(near);
        }
        for name in self.similar_names(word, OFFERED)? {
            let mut last = None;
            for_each_term(name.as_bytes(), |term, whole| last = Some((term_hash(term), whole)));
            near.extend(last.map(|(number, whole)| Near { name, number, whole }));
        }
        Ok(near)
    }
}
