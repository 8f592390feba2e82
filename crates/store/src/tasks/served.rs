//! The record of what tasks were served and have written.

use super::TaskStore;
use crate::error::{AtPath, StoreError};
use orient_model::ContentHash;
use rusqlite::{Row, params};

/// Maximum number of calls in the record of one task: a runaway agent must not fill the disk.
const MAX_CALLS: u64 = 5_000;

/// What the answer to one call contained.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServedBatch {
    /// The kinds of information, separated by spaces.
    pub kinds: String,
    /// The operation.
    pub operation: String,
    /// What the call was about.
    pub subject: String,
    /// The generation of the index.
    pub generation: u64,
    /// Lines.
    pub ranges: Vec<ServedRange>,
    /// Symbols.
    pub symbols: Vec<ServedSymbolRow>,
    /// Directories that were listed.
    pub directories: Vec<String>,
}

/// Lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServedRange {
    /// The file.
    pub path: String,
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
    /// Whether only the line number was served, not the text.
    pub mentioned: bool,
    /// The hash of the file's content then.
    pub content: Option<ContentHash>,
    /// The generation of the index then; not written, the call has it.
    pub generation: u64,
}

/// A symbol that was named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServedSymbolRow {
    /// Its handle.
    pub handle: String,
    /// Its file.
    pub path: String,
    /// Its line.
    pub line: u32,
    /// The hash of the file's content then.
    pub content: Option<ContentHash>,
}

/// A call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServedCallRow {
    /// The kinds of information, separated by spaces.
    pub kinds: String,
    /// The operation.
    pub operation: String,
    /// What it was about.
    pub subject: String,
    /// The generation of the index.
    pub generation: u64,
}

/// A file that a task was permitted to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenFile {
    /// The file.
    pub path: String,
    /// The hash of its content after the write; `None` while the write has not been seen.
    pub content: Option<ContentHash>,
}

/// Everything that a task was served and has written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServedRows {
    /// The calls, in order.
    pub calls: Vec<ServedCallRow>,
    /// Lines, by path.
    pub ranges: Vec<ServedRange>,
    /// Symbols, by handle.
    pub symbols: Vec<ServedSymbolRow>,
    /// Directories that were listed.
    pub directories: Vec<String>,
    /// Files that the task has written.
    pub written: Vec<WrittenFile>,
}

impl TaskStore {
    /// Adds the answer to a call to the record of a task.
    pub fn record(&self, task: u64, batch: &ServedBatch) -> Result<(), StoreError> {
        let done = self.transaction(|db| {
            let calls: u64 = db
                .prepare_cached("SELECT count(*) FROM served_call WHERE task = ?1")?
                .query_row([task], |row| row.get(0))?;
            if calls >= MAX_CALLS {
                return Ok(());
            }
            let call = db
                .prepare_cached(
                    "INSERT INTO served_call (task, kinds, operation, subject, generation) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .insert(params![task, batch.kinds, batch.operation, batch.subject, batch.generation])?;
            for range in &batch.ranges {
                let content = range.content.as_ref().map(|hash| &hash.0[..]);
                db.prepare_cached("INSERT OR REPLACE INTO served_range VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
                    .execute(params![task, call, range.path, range.first, range.last, range.mentioned, content])?;
            }
            for symbol in &batch.symbols {
                let content = symbol.content.as_ref().map(|hash| &hash.0[..]);
                db.prepare_cached("INSERT OR REPLACE INTO served_symbol VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
                    .execute(params![task, symbol.handle, call, symbol.path, symbol.line, content])?;
            }
            for directory in &batch.directories {
                db.prepare_cached("INSERT OR IGNORE INTO served_directory VALUES (?1, ?2)")?
                    .execute(params![task, directory])?;
            }
            Ok(())
        });
        done.at(&self.path)
    }

    /// Records that a task may write a file (`None`), or what it holds after the write.
    pub fn record_write(
        &self,
        task: u64,
        path: &str,
        content: Option<ContentHash>,
    ) -> Result<(), StoreError> {
        let content = content.as_ref().map(|hash| &hash.0[..]);
        let done = self.transaction(|db| {
            db.prepare_cached("INSERT OR REPLACE INTO written_file VALUES (?1, ?2, ?3)")?
                .execute(params![task, path, content])
        });
        done.map(drop).at(&self.path)
    }

    /// The record of a task.
    pub fn served(&self, task: u64) -> Result<ServedRows, StoreError> {
        let calls =
            "SELECT kinds, operation, subject, generation FROM served_call WHERE task = ?1 ORDER BY id";
        let ranges = "SELECT path, first, last, mentioned, content, generation FROM served_range \
             JOIN served_call ON served_call.id = call WHERE served_range.task = ?1 ORDER BY path, first, last, call";
        let symbols = "SELECT handle, path, line, content FROM served_symbol WHERE task = ?1 ORDER BY handle";
        let directories = "SELECT path FROM served_directory WHERE task = ?1 ORDER BY path";
        let written = "SELECT path, content FROM written_file WHERE task = ?1 ORDER BY path";
        Ok(ServedRows {
            calls: self.rows(calls, task, |row| {
                Ok(ServedCallRow {
                    kinds: row.get(0)?,
                    operation: row.get(1)?,
                    subject: row.get(2)?,
                    generation: row.get(3)?,
                })
            })?,
            ranges: self.rows(ranges, task, |row| {
                Ok(ServedRange {
                    path: row.get(0)?,
                    first: row.get(1)?,
                    last: row.get(2)?,
                    mentioned: row.get(3)?,
                    content: hash(row, 4)?,
                    generation: row.get(5)?,
                })
            })?,
            symbols: self.rows(symbols, task, |row| {
                Ok(ServedSymbolRow {
                    handle: row.get(0)?,
                    path: row.get(1)?,
                    line: row.get(2)?,
                    content: hash(row, 3)?,
                })
            })?,
            directories: self.rows(directories, task, |row| row.get(0))?,
            written: self
                .rows(written, task, |row| Ok(WrittenFile { path: row.get(0)?, content: hash(row, 1)? }))?,
        })
    }

    fn rows<T>(
        &self,
        statement: &str,
        task: u64,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self
            .db
            .prepare_cached(statement)
            .and_then(|mut query| query.query_map([task], read)?.collect::<rusqlite::Result<Vec<_>>>());
        rows.at(&self.path)
    }
}

fn hash(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<ContentHash>> {
    Ok(row.get::<_, Option<[u8; 16]>>(column)?.map(ContentHash))
}
