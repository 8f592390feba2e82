//! Chunks of closing lines only, such as a lone `}`: chunking leaves them between symbols, and nobody searches for them.

use crate::Snapshot;
use orient_model::{ChunkKind, Span};
use orient_store::FileRow;

/// Maximum number of lines of such a chunk.
const MAX_LINES: u32 = 2;

impl Snapshot {
    /// Whether a chunk consists of closing lines. Only short chunks between symbols, or parts of symbols, are read.
    pub(super) fn only_closes(&self, file: &FileRow, kind: ChunkKind, lines: (u32, u32)) -> bool {
        let (first_line, last_line) = lines;
        if !matches!(kind, ChunkKind::Gap | ChunkKind::Part) || last_line - first_line >= MAX_LINES {
            return false;
        }
        let span = Span { first_line, last_line, ..Span::default() };
        // What cannot be read cannot be judged.
        self.source(file, span, 0).is_ok_and(|source| source.lines.iter().all(|line| closes(line)))
    }
}

/// Whether a line only closes something: brackets, `end`, a closing tag, or nothing.
fn closes(line: &str) -> bool {
    let line = line.trim();
    let is_tag = line.strip_prefix("</").is_some_and(|tag| !tag.contains('<'));
    let words: String = line.chars().filter(|c| c.is_alphanumeric()).collect();
    is_tag || words.is_empty() || words == "end"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_ends_and_closing_tags_only_close() {
        for line in ["}", "});", "  end", "</html>", "", "]]", "# ---"] {
            assert!(closes(line), "{line}");
        }
        for line in ["} else {", "return x;", "</a> text <b>", "MAX = 3", "endless()"] {
            assert!(!closes(line), "{line}");
        }
    }
}
