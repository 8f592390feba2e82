//! Reads the history index.

use super::commit_graph::{CommitGraph, Segment};
use super::writer::Person;
use crate::cache::Cache;
use crate::codec::{ChangedSymbol, CommitTerm, decode_commits, decode_symbols, decode_terms};
use crate::error::mismatched;
use rusqlite::{OptionalExtension, Result, Row};

const GRAPH: &str = "SELECT first, paths, symbols, commits FROM history_graph ORDER BY first";
const PATH_ID: &str = "SELECT id FROM history_path WHERE path = ?1";
const PATH: &str = "SELECT path FROM history_path WHERE id = ?1";
const PATHS: &str = "SELECT id, path FROM history_path ORDER BY id";
const CHANGES_OF_PATH: &str =
    "SELECT path, n, parent, kind, old_path FROM history_change WHERE path = ?1 ORDER BY n, parent";
const CHANGES_OF_COMMIT: &str =
    "SELECT path, n, parent, kind, old_path FROM history_change WHERE n = ?1 ORDER BY path, parent";
const CHANGES_FROM_PATH: &str =
    "SELECT path, n, parent, kind, old_path FROM history_change WHERE old_path = ?1 ORDER BY n, path, parent";
const ALL_CHANGES: &str =
    "SELECT path, n, parent, kind, old_path FROM history_change ORDER BY path, n, parent";
const COPY: &str = "SELECT kind, source FROM history_copy WHERE path = ?1 AND n = ?2";
const SYMBOLS_OF_PATH: &str =
    "SELECT path, n, added, deleted, symbols FROM history_symbols WHERE path = ?1 ORDER BY n";
const ALL_SYMBOLS: &str = "SELECT path, n, added, deleted, symbols FROM history_symbols ORDER BY path, n";
const FORMER_NAME: &str = "SELECT n, path FROM history_former_name WHERE name = ?1 ORDER BY n, path";
const TEXTS: &str = "SELECT n, terms, vector FROM history_text ORDER BY n";
const COMMIT: &str = "SELECT author_time, author_offset, committer_offset, message, a.name, a.email, c.name, c.email
     FROM history_commit JOIN history_person AS a ON a.id = author JOIN history_person AS c ON c.id = committer
     WHERE n = ?1";
const AUTHORS: &str =
    "SELECT n, name, email FROM history_commit JOIN history_person ON id = author ORDER BY n";

/// A path that a commit changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathRow {
    /// The number of the path.
    pub path: u32,
    /// The number of the commit.
    pub commit: u32,
    /// Of a merge: the parent, counted from one, that has the file under its old path.
    pub parent: u8,
    /// The kind of the change.
    pub kind: u8,
    /// The number of the previous path.
    pub old_path: Option<u32>,
}

/// What a commit changed in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolsRow {
    /// The number of the path.
    pub path: u32,
    /// The number of the commit.
    pub commit: u32,
    /// Lines added and deleted.
    pub lines: (u32, u32),
    encoded: Vec<u8>,
}

impl SymbolsRow {
    /// The changed symbols.
    pub fn symbols(&self) -> Vec<ChangedSymbol> {
        // The checksum of its page covers it: what is malformed was never written.
        decode_symbols(&self.encoded).unwrap_or_default()
    }

    /// Whether a text occurs in the names; much cheaper than decoding them.
    pub fn mentions(&self, text: &str) -> bool {
        self.encoded.windows(text.len().max(1)).any(|window| window == text.as_bytes())
    }
}

/// The record of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitRecord {
    /// Who wrote it.
    pub author: Person,
    /// When, in seconds since 1970, and the offset of the time zone.
    pub author_time: (i64, i32),
    /// Who committed it.
    pub committer: Person,
    /// The offset of the committer's time zone.
    pub committer_offset: i32,
    /// The whole message.
    pub message: String,
}

/// What a search for a commit needs.
pub struct CommitText<'r> {
    /// The number of the commit.
    pub commit: u32,
    terms: &'r [u8],
    /// The vectors of its text, as they were passed to the cache.
    pub vectors: &'r [u8],
}

impl CommitText<'_> {
    /// Passes the terms to `take`.
    pub fn terms(&self, take: impl FnMut(CommitTerm)) {
        // A damaged list ends early; the checksum of its page says so elsewhere.
        let _ = decode_terms(self.terms, take);
    }
}

impl Cache {
    /// The graph of all indexed commits.
    pub fn history_graph(&mut self) -> CommitGraph {
        let graph = self.attempt(|db| {
            let mut graph = CommitGraph::default();
            let mut statement = db.prepare_cached(GRAPH)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let first: u32 = row.get(0)?;
                let (paths, symbols): (u32, u32) = (row.get(1)?, row.get(2)?);
                let mut commits = Vec::new();
                decode_commits(first, row.get_ref(3)?.as_blob()?, |commit| commits.push(commit))
                    .map_err(|_| mismatched(3))?;
                if first != graph.len() {
                    return Err(mismatched(0));
                }
                let segment = Segment { first, paths_end: first + paths, symbols_end: first + symbols };
                graph.push_segment(segment, commits);
            }
            Ok(graph)
        });
        graph.unwrap_or_default()
    }

    /// The number of a path.
    pub fn history_path_id(&mut self, path: &[u8]) -> Option<u32> {
        self.attempt(|db| db.prepare_cached(PATH_ID)?.query_row([path], |row| row.get(0)).optional())
            .flatten()
    }

    /// The path with a number.
    pub fn history_path(&mut self, id: u32) -> Option<Vec<u8>> {
        self.attempt(|db| db.prepare_cached(PATH)?.query_row([id], |row| row.get(0)).optional()).flatten()
    }

    /// All paths with their numbers.
    pub fn history_paths(&mut self) -> Vec<(u32, Vec<u8>)> {
        self.list(PATHS, None, |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// The commits that changed a path.
    pub fn history_changes_of_path(&mut self, path: u32) -> Vec<PathRow> {
        self.list(CHANGES_OF_PATH, Some(path), path_row)
    }

    /// The paths that a commit changed.
    pub fn history_changes_of_commit(&mut self, commit: u32) -> Vec<PathRow> {
        self.list(CHANGES_OF_COMMIT, Some(commit), path_row)
    }

    /// The commits that renamed a path to another.
    pub fn history_changes_from_path(&mut self, path: u32) -> Vec<PathRow> {
        self.list(CHANGES_FROM_PATH, Some(path), path_row)
    }

    /// All changed paths, by path and commit.
    pub fn history_changes(&mut self) -> Vec<PathRow> {
        self.list(ALL_CHANGES, None, path_row)
    }

    /// The kind of the change and the file that an added file was copied from. `None` if it is not known yet.
    pub fn history_copy(&mut self, number: u32, path: u32) -> Option<(u8, Option<u32>)> {
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        self.attempt(|db| db.prepare_cached(COPY)?.query_row([path, number], read).optional()).flatten()
    }

    /// What all commits changed in a file.
    pub fn history_symbols_of_path(&mut self, path: u32) -> Vec<SymbolsRow> {
        self.list(SYMBOLS_OF_PATH, Some(path), symbols_row)
    }

    /// Passes what all commits changed in all files to `see`, by path and commit.
    pub fn each_history_symbols(&mut self, mut see: impl FnMut(SymbolsRow)) {
        self.attempt(|db| {
            let mut statement = db.prepare_cached(ALL_SYMBOLS)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                see(symbols_row(row)?);
            }
            Ok(())
        });
    }

    /// The commits that removed, renamed or moved a symbol with this own name, and the paths where that is recorded.
    pub fn history_former_name(&mut self, name: &str) -> Vec<(u32, u32)> {
        let rows = self.attempt(|db| {
            let mut statement = db.prepare_cached(FORMER_NAME)?;
            let rows = statement.query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        });
        rows.unwrap_or_default()
    }

    /// The record of a commit.
    pub fn history_commit(&mut self, number: u32) -> Option<CommitRecord> {
        let read = |row: &Row<'_>| {
            let person = |name, email| {
                Ok::<_, rusqlite::Error>(Person { name: row.get(name)?, email: row.get(email)? })
            };
            Ok(CommitRecord {
                author: person(4, 5)?,
                author_time: (row.get(0)?, row.get(1)?),
                committer: person(6, 7)?,
                committer_offset: row.get(2)?,
                message: row.get(3)?,
            })
        };
        self.attempt(|db| db.prepare_cached(COMMIT)?.query_row([number], read).optional()).flatten()
    }

    /// The author of every indexed commit.
    pub fn history_authors(&mut self) -> Vec<(u32, Person)> {
        self.list(AUTHORS, None, |row| Ok((row.get(0)?, Person { name: row.get(1)?, email: row.get(2)? })))
    }

    /// Passes the terms and vectors of all commits to `see`.
    pub fn each_history_text(&mut self, mut see: impl FnMut(&CommitText<'_>)) {
        self.attempt(|db| {
            let mut statement = db.prepare_cached(TEXTS)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (terms, vectors) = (row.get_ref(1)?.as_blob()?, row.get_ref(2)?.as_blob()?);
                see(&CommitText { commit: row.get(0)?, terms, vectors });
            }
            Ok(())
        });
    }

    fn list<T>(&mut self, sql: &str, of: Option<u32>, read: impl Fn(&Row<'_>) -> Result<T>) -> Vec<T> {
        let rows = self.attempt(|db| {
            let mut statement = db.prepare_cached(sql)?;
            match of {
                Some(of) => statement.query_map([of], |row| read(row))?.collect(),
                None => statement.query_map([], |row| read(row))?.collect(),
            }
        });
        rows.unwrap_or_default()
    }
}

fn path_row(row: &Row<'_>) -> Result<PathRow> {
    Ok(PathRow {
        path: row.get(0)?,
        commit: row.get(1)?,
        parent: row.get(2)?,
        kind: row.get(3)?,
        old_path: row.get(4)?,
    })
}

fn symbols_row(row: &Row<'_>) -> Result<SymbolsRow> {
    Ok(SymbolsRow {
        path: row.get(0)?,
        commit: row.get(1)?,
        lines: (row.get(2)?, row.get(3)?),
        encoded: row.get(4)?,
    })
}
