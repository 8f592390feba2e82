//! Writes the history index. Every call is one transaction; a failure leaves the index as it was.

use crate::cache::{Cache, CacheState, in_transaction};
use crate::codec::{
    ChangedSymbol, CommitTerm, GraphCommit, decode_commits, encode_commits, encode_symbols, encode_terms,
};
use rusqlite::{Connection, OptionalExtension, Result, params};
use std::collections::BTreeSet;

/// Segments are joined when there are more.
const MAX_SEGMENTS: usize = 24;

const NEXT_NUMBER: &str = "SELECT coalesce(max(first + count), 0) FROM history_graph";
const PUT_SEGMENT: &str = "INSERT INTO history_graph VALUES (?1, ?2, ?3, ?4, ?5)";
const SEGMENTS: &str = "SELECT first, count, paths, symbols, commits FROM history_graph ORDER BY first";
const DELETE_SEGMENTS: &str = "DELETE FROM history_graph";
const COUNT_PATHS: &str =
    "UPDATE history_graph SET paths = max(paths, ?1 + 1 - first) WHERE first <= ?1 AND ?1 < first + count";
const COUNT_SYMBOLS: &str = "UPDATE history_graph SET symbols = max(symbols, ?1 + 1 - first) WHERE first <= ?1 AND ?1 < first + count";
const VERSION: &str = "SELECT version FROM history_state WHERE id = 1";
const PUT_VERSION: &str = "INSERT OR REPLACE INTO history_state VALUES (1, ?1)";
const FIND_PERSON: &str = "SELECT id FROM history_person WHERE name = ?1 AND email = ?2";
const PUT_PERSON: &str = "INSERT INTO history_person (name, email) VALUES (?1, ?2)";
const FIND_PATH: &str = "SELECT id FROM history_path WHERE path = ?1";
const PUT_PATH: &str = "INSERT INTO history_path (path) VALUES (?1)";
const PUT_COMMIT: &str = "INSERT OR REPLACE INTO history_commit VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
const PUT_CHANGE: &str = "INSERT OR REPLACE INTO history_change VALUES (?1, ?2, ?3, ?4, ?5)";
const PUT_COPY: &str = "INSERT OR REPLACE INTO history_copy VALUES (?1, ?2, ?3, ?4)";
const PUT_SYMBOLS: &str = "INSERT OR REPLACE INTO history_symbols VALUES (?1, ?2, ?3, ?4, ?5)";
const PUT_FORMER_NAME: &str = "INSERT OR IGNORE INTO history_former_name VALUES (?1, ?2, ?3)";
const PUT_TEXT: &str = "INSERT OR REPLACE INTO history_text VALUES (?1, ?2, ?3)";
const FORGET_SYMBOLS: &str =
    "DELETE FROM history_symbols; DELETE FROM history_former_name; DELETE FROM history_text;
     UPDATE history_graph SET symbols = 0;";
const DELETE_COMMIT: [&str; 5] = [
    "DELETE FROM history_commit WHERE n = ?1",
    "DELETE FROM history_change WHERE n = ?1",
    "DELETE FROM history_symbols WHERE n = ?1",
    "DELETE FROM history_former_name WHERE n = ?1",
    "DELETE FROM history_text WHERE n = ?1",
];

/// A name and an address, as commits record them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Person {
    /// The name.
    pub name: String,
    /// The address.
    pub email: String,
}

/// The record of a commit and the paths that it changed. Paths count from the top of the repository.
#[derive(Clone, Debug)]
pub struct CommitPaths {
    /// The number of the commit.
    pub number: u32,
    /// Who wrote it.
    pub author: Person,
    /// When, in seconds since 1970, and the offset of the time zone.
    pub author_time: (i64, i32),
    /// Who committed it.
    pub committer: Person,
    /// The offset of the committer's time zone; the time is in the graph.
    pub committer_offset: i32,
    /// The whole message.
    pub message: String,
    /// Path, kind of change, and previous path.
    pub changes: Vec<(Vec<u8>, u8, Option<Vec<u8>>)>,
    /// Of a merge: path, parent counted from one, and the path in that parent.
    pub merged: Vec<(Vec<u8>, u8, Vec<u8>)>,
}

/// The symbols that a commit changed in a file.
#[derive(Clone, Debug)]
pub struct FileSymbols {
    /// The path.
    pub path: Vec<u8>,
    /// Lines added and deleted.
    pub lines: (u32, u32),
    /// The symbols, each with the path that it was moved from. Their `old_path` is not used.
    pub symbols: Vec<(ChangedSymbol, Option<Vec<u8>>)>,
    /// The own names of symbols that the commit removed, renamed or moved to this file.
    pub former_names: Vec<String>,
}

/// The symbols that a commit changed, and what a search for it needs.
#[derive(Clone, Debug)]
pub struct CommitSymbols {
    /// The number of the commit.
    pub number: u32,
    /// File by file.
    pub files: Vec<FileSymbols>,
    /// The terms, sorted by hash.
    pub terms: Vec<CommitTerm>,
    /// The vectors of its text, as the caller encodes them.
    pub vectors: Vec<u8>,
}

impl Cache {
    /// Prepares the history index for symbols of a version of the extractor: those of another are removed.
    pub fn start_history(&mut self, version: u64) -> bool {
        let version = version.cast_signed();
        self.write_history(|db| {
            let known: Option<i64> =
                db.prepare_cached(VERSION)?.query_row([], |row| row.get(0)).optional()?;
            if known != Some(version) {
                db.execute_batch(FORGET_SYMBOLS)?;
                db.prepare_cached(PUT_VERSION)?.execute([version])?;
            }
            Ok(())
        })
    }

    /// Appends commits to the graph. They get the next numbers, the first of which must be `first`.
    pub fn add_history_commits(&mut self, first: u32, commits: &[GraphCommit]) -> bool {
        self.write_history(|db| {
            let next: u32 = db.prepare_cached(NEXT_NUMBER)?.query_row([], |row| row.get(0))?;
            if next != first {
                // Another process was faster: its numbers are not ours.
                return Err(rusqlite::Error::StatementChangedRows(0));
            }
            let row = params![first, commits.len() as u32, 0, 0, encode_commits(first, commits)];
            db.prepare_cached(PUT_SEGMENT)?.execute(row)?;
            join_segments(db)
        })
    }

    /// Records changed paths. Commits must come in the order of their numbers.
    pub fn put_history_paths(&mut self, commits: &[CommitPaths]) -> bool {
        self.write_history(|db| {
            for commit in commits {
                let (author, committer) = (person(db, &commit.author)?, person(db, &commit.committer)?);
                let (time, offset) = commit.author_time;
                let record = params![
                    commit.number,
                    author,
                    time,
                    offset,
                    committer,
                    commit.committer_offset,
                    commit.message
                ];
                db.prepare_cached(PUT_COMMIT)?.execute(record)?;
                for (path, kind, old) in &commit.changes {
                    let old = old.as_ref().map(|old| path_id(db, old)).transpose()?;
                    let row = params![path_id(db, path)?, commit.number, 0, kind, old];
                    db.prepare_cached(PUT_CHANGE)?.execute(row)?;
                }
                for (path, parent, old) in &commit.merged {
                    let row = params![path_id(db, path)?, commit.number, parent, 0, path_id(db, old)?];
                    db.prepare_cached(PUT_CHANGE)?.execute(row)?;
                }
                db.prepare_cached(COUNT_PATHS)?.execute([commit.number])?;
            }
            Ok(())
        })
    }

    /// Records changed symbols and terms. Commits must come in the order of their numbers.
    pub fn put_history_symbols(&mut self, commits: &[CommitSymbols]) -> bool {
        self.write_history(|db| {
            for commit in commits {
                for file in &commit.files {
                    put_symbols(db, commit.number, file)?;
                }
                let text = params![commit.number, encode_terms(&commit.terms), commit.vectors];
                db.prepare_cached(PUT_TEXT)?.execute(text)?;
                db.prepare_cached(COUNT_SYMBOLS)?.execute([commit.number])?;
            }
            Ok(())
        })
    }

    /// Records where an added file was copied from, or that it was not.
    pub fn put_history_copy(&mut self, number: u32, path: &[u8], kind: u8, source: Option<&[u8]>) -> bool {
        self.write_history(|db| {
            let source = source.map(|source| path_id(db, source)).transpose()?;
            let row = params![path_id(db, path)?, number, kind, source];
            db.prepare_cached(PUT_COPY)?.execute(row).map(drop)
        })
    }

    /// Removes commits that are gone from the repository. Their numbers are not used again.
    pub fn drop_history_commits(&mut self, numbers: &BTreeSet<u32>) -> bool {
        self.write_history(|db| {
            for statement in DELETE_COMMIT {
                let mut delete = db.prepare_cached(statement)?;
                for number in numbers {
                    delete.execute([number])?;
                }
            }
            for mut segment in segments(db)? {
                for (number, commit) in (segment.first..).zip(&mut segment.commits) {
                    commit.is_gone |= numbers.contains(&number);
                }
                segment.replace(db)?;
            }
            Ok(())
        })
    }

    fn write_history(&mut self, act: impl FnOnce(&Connection) -> Result<()>) -> bool {
        *self.state() != CacheState::ReadOnly && self.attempt(|db| in_transaction(db, act)).is_some()
    }
}

fn put_symbols(db: &Connection, number: u32, file: &FileSymbols) -> Result<()> {
    let path = path_id(db, &file.path)?;
    let mut symbols = Vec::with_capacity(file.symbols.len());
    for (symbol, moved_from) in &file.symbols {
        let old_path = moved_from.as_ref().map(|old| path_id(db, old)).transpose()?;
        symbols.push(ChangedSymbol { old_path, ..symbol.clone() });
    }
    for name in &file.former_names {
        db.prepare_cached(PUT_FORMER_NAME)?.execute(params![name, number, path])?;
    }
    let row = params![path, number, file.lines.0, file.lines.1, encode_symbols(&symbols)];
    db.prepare_cached(PUT_SYMBOLS)?.execute(row).map(drop)
}

fn person(db: &Connection, person: &Person) -> Result<i64> {
    let key = params![person.name, person.email];
    match db.prepare_cached(FIND_PERSON)?.query_row(key, |row| row.get(0)).optional()? {
        Some(id) => Ok(id),
        None => db.prepare_cached(PUT_PERSON)?.insert(key),
    }
}

fn path_id(db: &Connection, path: &[u8]) -> Result<u32> {
    match db.prepare_cached(FIND_PATH)?.query_row([path], |row| row.get(0)).optional()? {
        Some(id) => Ok(id),
        None => Ok(u32::try_from(db.prepare_cached(PUT_PATH)?.insert([path])?).unwrap_or(u32::MAX)),
    }
}

/// A segment of the graph.
struct StoredSegment {
    first: u32,
    paths: u32,
    symbols: u32,
    commits: Vec<GraphCommit>,
}

impl StoredSegment {
    fn is_complete(&self) -> bool {
        self.paths as usize == self.commits.len() && self.symbols as usize == self.commits.len()
    }

    fn replace(&self, db: &Connection) -> Result<()> {
        let bytes = encode_commits(self.first, &self.commits);
        db.prepare_cached("DELETE FROM history_graph WHERE first = ?1")?.execute([self.first])?;
        let row = params![self.first, self.commits.len() as u32, self.paths, self.symbols, bytes];
        db.prepare_cached(PUT_SEGMENT)?.execute(row).map(drop)
    }
}

fn segments(db: &Connection) -> Result<Vec<StoredSegment>> {
    let mut statement = db.prepare_cached(SEGMENTS)?;
    let mut rows = statement.query([])?;
    let mut segments = Vec::new();
    while let Some(row) = rows.next()? {
        let (first, mut commits) = (row.get(0)?, Vec::new());
        decode_commits(first, row.get_ref(4)?.as_blob()?, |commit| commits.push(commit))
            .map_err(|_| rusqlite::Error::InvalidQuery)?;
        segments.push(StoredSegment { first, paths: row.get(2)?, symbols: row.get(3)?, commits });
    }
    Ok(segments)
}

/// Joins complete neighbours once there are many segments: a reader reads them all.
fn join_segments(db: &Connection) -> Result<()> {
    let mut joined: Vec<StoredSegment> = Vec::new();
    let all = segments(db)?;
    if all.len() <= MAX_SEGMENTS {
        return Ok(());
    }
    for segment in all {
        match joined.last_mut() {
            Some(last) if last.is_complete() && segment.is_complete() => {
                last.commits.extend(segment.commits);
                last.paths = last.commits.len() as u32;
                last.symbols = last.paths;
            }
            _ => joined.push(segment),
        }
    }
    db.prepare_cached(DELETE_SEGMENTS)?.execute([])?;
    joined.iter().try_for_each(|segment| segment.replace(db))
}
