//! Lines of a file as answers hold them.

use orient_engine::Snippet;
use schemars::JsonSchema;
use serde::Serialize;

/// Lines that follow each other.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SourceLines {
    /// The number of the first one.
    pub(crate) line: u32,
    /// The lines, as they are in the file now.
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
