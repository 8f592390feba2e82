//! The text of a symbol, from the file as it is now.

use crate::{EngineError, Snapshot};
use orient_model::Span;
use orient_store::FileRow;
use orient_walk::RootDirectory;

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The number of the first line, from 1.
    pub first_line: u32,
    /// The lines, without their ends; bytes that are not text are replaced.
    pub lines: Vec<String>,
    /// Whether the file is no longer what was indexed: the lines may then not be those that were meant.
    pub differs: bool,
}

impl Snapshot {
    /// Shows the text of files as they are now, one after the other; one that cannot be read is left out.
    pub fn each_text<'f>(
        &self,
        files: impl IntoIterator<Item = &'f FileRow>,
        mut see: impl FnMut(&FileRow, &str),
    ) -> Result<(), EngineError> {
        let tree = RootDirectory::open(&self.root)?;
        for file in files {
            if let Ok(content) = tree.read(&file.path, self.max_file_size) {
                see(file, &String::from_utf8_lossy(&content.bytes));
            }
        }
        Ok(())
    }

    /// The lines a span touches, and `around` more on both sides, from the file as it is now.
    pub fn source(&self, file: &FileRow, span: Span, around: u32) -> Result<Source, EngineError> {
        let tree = RootDirectory::open(&self.root)?;
        let content = tree
            .read(&file.path, self.max_file_size)
            .map_err(|unread| EngineError::Unreadable { path: file.path.clone(), reason: unread.reason })?;
        let first_line = span.first_line.saturating_sub(around).max(1);
        let last_line = span.last_line.max(span.first_line).saturating_add(around);
        let wanted = (last_line - first_line + 1) as usize;
        let text = String::from_utf8_lossy(&content.bytes);
        let lines = text.lines().skip(first_line as usize - 1).take(wanted).map(str::to_owned).collect();
        Ok(Source { first_line, lines, differs: file.hash != Some(content.hash) })
    }
}
