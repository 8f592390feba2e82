//! The history index in `cache.db`: commits, changed paths, changed symbols and terms, shared by all working trees of a
//! repository.
//!
//! Commits are numbered as they are indexed. The graph is a few blobs, read as a whole; everything else is found by path, by
//! name or by the number of a commit. Like the rest of the cache, it only saves work.

mod commit_graph;
mod reader;
mod writer;

pub use commit_graph::CommitGraph;
pub use reader::{CommitRecord, CommitText, PathRow, SymbolsRow};
pub use writer::{CommitPaths, CommitSymbols, FileSymbols, Person};

/// Created whenever a cache is opened for writing, since older caches lack these tables.
pub(crate) const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS history_graph (
        first   INTEGER PRIMARY KEY, -- the number of the first commit
        count   INTEGER NOT NULL,
        paths   INTEGER NOT NULL,    -- how many of them, from the first, have their changed paths
        symbols INTEGER NOT NULL,    -- and their changed symbols and terms
        commits BLOB NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS history_state (
        id      INTEGER PRIMARY KEY,
        version INTEGER NOT NULL -- of extraction and comparison: another one makes other symbols
    ) STRICT;
    CREATE TABLE IF NOT EXISTS history_person (
        id    INTEGER PRIMARY KEY,
        name  TEXT NOT NULL,
        email TEXT NOT NULL,
        UNIQUE (name, email)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS history_commit (
        n INTEGER PRIMARY KEY,
        author           INTEGER NOT NULL,
        author_time      INTEGER NOT NULL,
        author_offset    INTEGER NOT NULL,
        committer        INTEGER NOT NULL,
        committer_offset INTEGER NOT NULL,
        message          TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS history_path (
        id   INTEGER PRIMARY KEY,
        path BLOB NOT NULL UNIQUE
    ) STRICT;
    CREATE TABLE IF NOT EXISTS history_change (
        path     INTEGER NOT NULL,
        n        INTEGER NOT NULL,
        parent   INTEGER NOT NULL, -- of a merge: which parent has the file under its old path, from one
        kind     INTEGER NOT NULL,
        old_path INTEGER,
        PRIMARY KEY (path, n, parent)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS history_change_by_commit ON history_change (n);
    CREATE INDEX IF NOT EXISTS history_change_by_old_path ON history_change (old_path) WHERE old_path IS NOT NULL;
    CREATE TABLE IF NOT EXISTS history_copy (
        path   INTEGER NOT NULL,
        n      INTEGER NOT NULL,
        kind   INTEGER NOT NULL,
        source INTEGER, -- absent: the file was not copied
        PRIMARY KEY (path, n)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS history_symbols (
        path    INTEGER NOT NULL,
        n       INTEGER NOT NULL,
        added   INTEGER NOT NULL, -- lines
        deleted INTEGER NOT NULL,
        symbols BLOB NOT NULL,
        PRIMARY KEY (path, n)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS history_symbols_by_commit ON history_symbols (n);
    CREATE TABLE IF NOT EXISTS history_former_name (
        name TEXT NOT NULL, -- own name of a symbol that was removed, renamed or moved
        n    INTEGER NOT NULL,
        path INTEGER NOT NULL, -- where the change is recorded
        PRIMARY KEY (name, n, path)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS history_former_name_by_commit ON history_former_name (n);
    CREATE TABLE IF NOT EXISTS history_text (
        n      INTEGER PRIMARY KEY,
        terms  BLOB NOT NULL,
        vector BLOB NOT NULL
    ) STRICT;";
