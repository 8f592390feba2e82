//! What a search for commits compares: the terms of messages and changed lines, and a vector of both.

use orient_embed::{BuiltIn, combine};
use orient_store::CommitTerm;
use orient_text::{for_each_term, term_hash};
use std::collections::BTreeMap;

/// Maximum number of distinct terms of a commit.
const MAX_TERMS: usize = 500;
/// Maximum number of bytes of changed lines that are read for the terms of a commit.
pub(crate) const MAX_CHANGED_BYTES: usize = 24 << 10;
/// Maximum number of bytes of changed lines that are embedded.
const MAX_EMBEDDED_BYTES: usize = 4 << 10;
/// The weight of changed lines and of names relative to the message in a vector.
const DIFF_WEIGHT: f32 = 0.5;

/// The text of a commit.
#[derive(Default)]
pub(crate) struct CommitDocument {
    /// The message.
    pub(crate) message: String,
    /// Paths and names of changed symbols.
    pub(crate) names: String,
    /// Changed lines, up to a limit.
    pub(crate) lines: Vec<u8>,
}

impl CommitDocument {
    /// The terms, sorted by hash. The message comes first if there are too many.
    pub(crate) fn terms(&self) -> Vec<CommitTerm> {
        let mut terms: BTreeMap<u32, CommitTerm> = BTreeMap::new();
        let mut add = |text: &[u8], in_message: bool| {
            for_each_term(text, |term, _| {
                let hash = term_hash(term);
                if terms.len() >= MAX_TERMS && !terms.contains_key(&hash) {
                    return;
                }
                let term = terms.entry(hash).or_insert(CommitTerm { term: hash, in_message: 0, in_diff: 0 });
                let count = if in_message { &mut term.in_message } else { &mut term.in_diff };
                *count = (*count + 1).min(15);
            });
        };
        add(self.message.as_bytes(), true);
        add(self.names.as_bytes(), false);
        add(&self.lines, false);
        terms.into_values().collect()
    }

    /// The vector, one byte per value.
    pub(crate) fn vector(&self) -> Vec<u8> {
        let model = BuiltIn::shared();
        let lines = &self.lines[..self.lines.len().min(MAX_EMBEDDED_BYTES)];
        let parts = [
            model.embed_text(&self.message),
            model.embed_text(&self.names),
            model.embed_text(&String::from_utf8_lossy(lines)),
        ];
        let vector = combine(&[(&parts[0], 1.0), (&parts[1], DIFF_WEIGHT), (&parts[2], DIFF_WEIGHT)]);
        vector.values().iter().map(|value| value.cast_unsigned()).collect()
    }
}
