//! What a search for commits compares: the terms of messages and changed lines, and an embedding of each.

use orient_embed::{BuiltIn, TextEmbedding};
use orient_store::CommitTerm;
use orient_text::{for_each_term, term_hash};
use std::collections::BTreeMap;

/// Maximum number of distinct terms of a commit.
const MAX_TERMS: usize = 500;
/// Maximum number of bytes of changed lines that are read for the terms of a commit.
pub(crate) const MAX_CHANGED_BYTES: usize = 24 << 10;
/// Maximum number of bytes of changed lines that are embedded.
const MAX_EMBEDDED_BYTES: usize = 4 << 10;

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

    /// The embeddings of the message, and of names and changed lines.
    pub(crate) fn embeddings(&self) -> CommitEmbeddings {
        let model = BuiltIn::shared();
        let lines = &self.lines[..self.lines.len().min(MAX_EMBEDDED_BYTES)];
        let diff = format!("{}\n{}", self.names, String::from_utf8_lossy(lines));
        CommitEmbeddings { message: model.embed_text(&self.message), diff: model.embed_text(&diff) }
    }
}

/// The embeddings of a commit. They are kept apart, because a message may say nothing, or what the lines do not say.
pub(crate) struct CommitEmbeddings {
    /// Of the message.
    pub(crate) message: TextEmbedding,
    /// Of paths, names of changed symbols, and changed lines.
    pub(crate) diff: TextEmbedding,
}

impl CommitEmbeddings {
    /// Serialises both.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.message.to_bytes();
        bytes.extend(self.diff.to_bytes());
        bytes
    }

    /// Parses the output of [`to_bytes`](Self::to_bytes). `None` if it is not valid.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (message, diff) = bytes.split_at_checked(bytes.len() / 2)?;
        let (message, diff) = (TextEmbedding::from_bytes(message)?, TextEmbedding::from_bytes(diff)?);
        (message.dimension() == diff.dimension()).then_some(Self { message, diff })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embeddings_are_read_as_they_were_written() {
        let document = CommitDocument {
            message: "limit retries".to_owned(),
            names: "src/net.py\nconnect".to_owned(),
            lines: b"for attempt in range(5):\n".to_vec(),
        };
        let written = document.embeddings();
        let read = CommitEmbeddings::from_bytes(&written.to_bytes()).expect("valid");
        assert_eq!((&read.message, &read.diff), (&written.message, &written.diff));
        assert_ne!(read.message, read.diff);
        assert!(CommitEmbeddings::from_bytes(&[0; 3]).is_none());
    }
}
