//! `tasks.db`: guided tasks of a working tree, and the record of what each was served. One file per working tree, beside the
//! index, because the index can be rebuilt from the files and this cannot.
//!
//! The state of a task is a text that the store does not interpret. The record is rows: a call, and what its answer contained.

mod served;

pub use served::{ServedBatch, ServedCallRow, ServedRange, ServedRows, ServedSymbolRow, WrittenFile};

use crate::connection::database::{Db, cannot_open};
use crate::connection::database_path::DatabasePath;
use crate::connection::open::prepared;
use crate::connection::vfs;
use crate::error::{AtPath, StoreError};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The format of the file. 1: the first.
const FORMAT: u32 = 1;
const APPLICATION: u32 = 0x4f72_6e74;
/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(2);

const WRITING: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -512;";
const TABLES: &str = "
    CREATE TABLE task (
        id      INTEGER PRIMARY KEY AUTOINCREMENT,
        client  TEXT NOT NULL,
        active  INTEGER NOT NULL,
        started INTEGER NOT NULL, -- seconds since 1970
        updated INTEGER NOT NULL,
        base    TEXT NOT NULL,    -- the commit it started from; empty without git
        state   TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX one_active_task_per_client ON task (client) WHERE active = 1;
    CREATE TABLE served_call (
        id         INTEGER PRIMARY KEY,
        task       INTEGER NOT NULL,
        kinds      TEXT NOT NULL, -- what it served, separated by spaces
        operation  TEXT NOT NULL,
        subject    TEXT NOT NULL,
        generation INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX served_call_of_task ON served_call (task);
    CREATE TABLE served_range (
        task       INTEGER NOT NULL,
        call       INTEGER NOT NULL,
        path       TEXT NOT NULL,
        first      INTEGER NOT NULL,
        last       INTEGER NOT NULL,
        mentioned  INTEGER NOT NULL, -- 1 if only the line number was served
        content    BLOB,             -- the hash of the file then
        UNIQUE (task, path, first, last, mentioned, content)
    ) STRICT;
    CREATE TABLE served_symbol (
        task    INTEGER NOT NULL,
        handle  TEXT NOT NULL,
        call    INTEGER NOT NULL,
        path    TEXT NOT NULL,
        line    INTEGER NOT NULL,
        content BLOB,
        PRIMARY KEY (task, handle)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE served_directory (task INTEGER NOT NULL, path TEXT NOT NULL, PRIMARY KEY (task, path)) STRICT, WITHOUT ROWID;
    CREATE TABLE written_file (
        task    INTEGER NOT NULL,
        path    TEXT NOT NULL,
        content BLOB, -- the hash after the write; NULL while a permitted write has not been seen
        PRIMARY KEY (task, path)
    ) STRICT, WITHOUT ROWID;";

const COLUMNS: &str = "id, client, active, started, updated, base, state";
const INSERT: &str =
    "INSERT INTO task (client, active, started, updated, base, state) VALUES (?1, 1, ?2, ?2, ?3, ?4)";
const UPDATE: &str = "UPDATE task SET state = ?2, active = ?3, updated = ?4 WHERE id = ?1";
const DEACTIVATE: &str = "UPDATE task SET active = 0 WHERE client = ?1 AND active = 1";
const ACTIVATE: &str = "UPDATE task SET active = 1 WHERE id = ?1";

/// The tasks of a working tree.
pub struct TaskStore {
    db: Db,
    path: PathBuf,
}

/// A stored task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskRow {
    /// Its number.
    pub id: u64,
    /// The client it belongs to.
    pub client: String,
    /// Whether it is the client's current task.
    pub active: bool,
    /// When it started, in seconds since 1970.
    pub started: u64,
    /// When it last changed.
    pub updated: u64,
    /// The commit it started from; empty without git.
    pub base: String,
    /// Its state.
    pub state: String,
}

impl TaskStore {
    /// Opens the tasks at a path. `None` if there are none and `create` is false.
    pub fn open(path: &Path, create: bool) -> Result<Option<Self>, StoreError> {
        let place = match if create { DatabasePath::make(path) } else { DatabasePath::at(path) } {
            Ok(place) => place,
            Err(StoreError::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        if !create && place.directory.entry(&place.name).is_none() {
            return Ok(None);
        }
        place.check()?;
        place.make_file().at(path)?;
        let db = prepared(vfs::creating(|| place.open(OpenFlags::SQLITE_OPEN_READ_WRITE)).at(path)?);
        db.busy_timeout(PATIENCE).at(path)?;
        vfs::reserve(&db);
        let store = Self { db, path: path.to_path_buf() };
        store.prepare().at(path)?;
        Ok(Some(store))
    }

    fn prepare(&self) -> rusqlite::Result<()> {
        let number = |name| self.db.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
        let (application, format) = (number("application_id")?, number("user_version")?);
        if (application, format) == (APPLICATION, FORMAT) {
            return Ok(());
        }
        if (application, format) != (0, 0) {
            return Err(cannot_open("another program or version wrote it"));
        }
        self.db.execute_batch(WRITING)?;
        self.transaction(|db| {
            // Another process may have been first.
            if db.pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0))? == 0 {
                db.execute_batch(TABLES)?;
                db.pragma_update(None, "application_id", APPLICATION)?;
                db.pragma_update(None, "user_version", FORMAT)?;
            }
            Ok(())
        })
    }

    /// Starts a task, which becomes the client's current one. `now` is in seconds since 1970.
    pub fn insert(&self, client: &str, base: &str, state: &str, now: u64) -> Result<u64, StoreError> {
        let inserted = self.transaction(|db| {
            db.prepare_cached(DEACTIVATE)?.execute([client])?;
            db.prepare_cached(INSERT)?.insert(params![client, now, base, state])
        });
        inserted.map(i64::cast_unsigned).at(&self.path)
    }

    /// Replaces the state of a task.
    pub fn update(&self, id: u64, state: &str, active: bool, now: u64) -> Result<(), StoreError> {
        self.transaction(|db| db.prepare_cached(UPDATE)?.execute(params![id, state, active, now]))
            .map(drop)
            .at(&self.path)
    }

    /// Makes a task its client's current one.
    pub fn activate(&self, id: u64, client: &str) -> Result<(), StoreError> {
        let done = self.transaction(|db| {
            db.prepare_cached(DEACTIVATE)?.execute([client])?;
            db.prepare_cached(ACTIVATE)?.execute([id])
        });
        done.map(drop).at(&self.path)
    }

    /// The current task of a client.
    pub fn active(&self, client: &str) -> Result<Option<TaskRow>, StoreError> {
        let statement = format!("SELECT {COLUMNS} FROM task WHERE client = ?1 AND active = 1");
        let row = self
            .db
            .prepare_cached(&statement)
            .and_then(|mut query| query.query_row([client], task_row).optional());
        row.at(&self.path)
    }

    /// The task with a number.
    pub fn task(&self, id: u64) -> Result<Option<TaskRow>, StoreError> {
        let statement = format!("SELECT {COLUMNS} FROM task WHERE id = ?1");
        let row = self
            .db
            .prepare_cached(&statement)
            .and_then(|mut query| query.query_row([id], task_row).optional());
        row.at(&self.path)
    }

    /// The newest tasks, newest first.
    pub fn newest(&self, limit: usize) -> Result<Vec<TaskRow>, StoreError> {
        let statement = format!("SELECT {COLUMNS} FROM task ORDER BY id DESC LIMIT ?1");
        let rows = self.db.prepare_cached(&statement).and_then(|mut query| {
            query.query_map([limit.min(100_000)], task_row)?.collect::<rusqlite::Result<Vec<_>>>()
        });
        rows.at(&self.path)
    }

    fn transaction<T>(&self, act: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        crate::cache::in_transaction(&self.db, act)
    }
}

fn task_row(row: &Row<'_>) -> rusqlite::Result<TaskRow> {
    Ok(TaskRow {
        id: row.get(0)?,
        client: row.get(1)?,
        active: row.get(2)?,
        started: row.get(3)?,
        updated: row.get(4)?,
        base: row.get(5)?,
        state: row.get(6)?,
    })
}
