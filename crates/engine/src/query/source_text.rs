//! Source text of symbols, read from the files of the tree.

use crate::{EngineError, Snapshot};
use orient_model::Span;
use orient_store::FileRow;

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLines {
    /// The number of the first line, from 1.
    pub first_line: u32,
    /// The lines without their endings; invalid UTF-8 is replaced.
    pub lines: Vec<String>,
    /// Whether the file changed since it was indexed, so that the lines may be wrong.
    pub differs: bool,
}

impl Snapshot {
    /// Calls `see` with the current text of each file; skips files that cannot be read.
    pub fn each_text<'f>(
        &self,
        files: impl IntoIterator<Item = &'f FileRow>,
        mut see: impl FnMut(&FileRow, &str),
    ) -> Result<(), EngineError> {
        let tree = self.tree.open()?;
        for file in files {
            if let Ok(content) = tree.read(&file.path, self.max_file_size) {
                see(file, &String::from_utf8_lossy(&content.bytes));
            }
        }
        Ok(())
    }

    /// The lines of a span and `around` more on both sides, from the current file.
    pub fn source(&self, file: &FileRow, span: Span, around: u32) -> Result<SourceLines, EngineError> {
        let tree = self.tree.open()?;
        let content = tree
            .read(&file.path, self.max_file_size)
            .map_err(|unread| EngineError::Unreadable { path: file.path.clone(), reason: unread.reason })?;
        let first_line = span.first_line.saturating_sub(around).max(1);
        let last_line = span.last_line.max(span.first_line).saturating_add(around);
        let wanted = (last_line - first_line + 1) as usize;
        let text = String::from_utf8_lossy(&content.bytes);
        // A byte order mark tells the encoding; it is no part of the first line.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let lines = text.lines().skip(first_line as usize - 1).take(wanted).map(str::to_owned).collect();
        Ok(SourceLines { first_line, lines, differs: file.hash != Some(content.hash) })
    }
}
