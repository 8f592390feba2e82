//! Consecutive source lines in an answer.

use orient_engine::Snippet;
use serde::Serialize;

/// Consecutive lines of a file.
#[derive(Serialize)]
pub(crate) struct SourceLines {
    /// The number of the first line.
    pub(crate) line: u32,
    /// The current text of the lines.
    pub(crate) text: String,
}

impl SourceLines {
    pub(crate) fn new(first: u32, lines: &[String]) -> Self {
        Self { line: first, text: lines.join("\n") }
    }
}

impl From<Snippet> for SourceLines {
    fn from(excerpt: Snippet) -> Self {
        Self::new(excerpt.first_line, &excerpt.lines)
    }
}
