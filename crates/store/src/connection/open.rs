//! Opens databases: for reading, for writing, for a bulk load, in memory.

use crate::connection::database::Db;
use crate::connection::database_path::DatabasePath;
use crate::connection::vfs;
use crate::connection::write_lock;
use crate::error::{AtPath, StoreError, is_damage};
use crate::format_version::{APPLICATION, FORMAT, Header};
use crate::integrity::seal;
use crate::migrate;
use crate::sql::meta::{self, Meta};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// Commits do not wait for the disk: a power failure may lose the last change sets but leaves the file consistent. They do
/// not checkpoint unless the write-ahead log is large: the last connection does, and [`checkpoint_wal`].
const WRITING: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 16384; \
     PRAGMA journal_size_limit = 67108864;";
/// No other process sees the file before it is complete, so neither a journal nor syncing is needed. The cache limits
/// memory.
const LOADING: &str = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; \
     PRAGMA cache_size = -32768;";
/// Maps as much of the file as SQLite supports: a query reads a few bytes of many pages, and each query may have a new
/// connection with an empty cache.
const READING: &str = "PRAGMA mmap_size = 2147418112; BEGIN";
/// The capacity of the statement cache: more than the number of constants in `sql`.
const STATEMENTS: usize = 128;

/// How long to wait for another program that has locked the file.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// A connection inside a transaction whose first row was read, which fixes its generation.
pub(crate) struct Opened {
    pub(crate) db: Db,
    pub(crate) meta: Meta,
}

/// Applies the settings of all our connections.
pub(crate) fn prepared(db: Db) -> Db {
    db.set_prepared_statement_cache_capacity(STATEMENTS);
    // Without this, SQLite compiles a statement with a join again for each bound value, in case another plan is better.
    let _ = db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true);
    db
}

/// Opens for reading, inside one read transaction.
pub(crate) fn read(path: &Path) -> Result<Opened, StoreError> {
    let at = DatabasePath::at(path)?;
    let _opening = write_lock::opening(&at.directory);
    read_while_opening(&at)
}

/// The same for a caller that holds the open lock.
pub(crate) fn read_while_opening(at: &DatabasePath) -> Result<Opened, StoreError> {
    let path = &at.path;
    at.check()?;
    Header::read(at)?.check(path)?;
    seal::check(at)?;
    match begin_reading(at.open(OpenFlags::SQLITE_OPEN_READ_ONLY)) {
        Ok(opened) => opened_or_damaged(path, opened),
        Err(error) if needs_room(&error) => {
            let opened = begin_reading(open_alone(at)).map_err(|_| StoreError::sql(path, error))?;
            opened_or_damaged(path, opened)
        }
        Err(error) => Err(StoreError::sql(path, error)),
    }
}

fn begin_reading(db: rusqlite::Result<Db>) -> rusqlite::Result<(Db, Option<Meta>)> {
    let db = db?;
    db.busy_timeout(PATIENCE)?;
    db.execute_batch(READING)?;
    let meta = meta::select(&db)?;
    Ok((prepared(db), meta))
}

/// Opens a database for reading if no file can be created beside it. The index of its write-ahead log is then built in
/// private memory, which needs exclusive access; if another process has the database open, its shared index is used.
pub(crate) fn open_alone(at: &DatabasePath) -> rusqlite::Result<Db> {
    if !at.has_log() {
        return at.open_immutable();
    }
    let db = at.open(OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    db.execute_batch("PRAGMA locking_mode = EXCLUSIVE")?;
    Ok(db)
}

fn opened_or_damaged(path: &Path, (db, meta): (Db, Option<Meta>)) -> Result<Opened, StoreError> {
    match meta {
        Some(meta) => Ok(Opened { db, meta }),
        None => Err(StoreError::damaged(path, "its first row is missing")),
    }
}

/// Whether reading failed because no file could be created beside the database, or a file could not grow.
pub(crate) fn needs_room(error: &rusqlite::Error) -> bool {
    !is_damage(error)
        && matches!(
            error.sqlite_error_code(),
            Some(
                ErrorCode::CannotOpen
                    | ErrorCode::ReadOnly
                    | ErrorCode::PermissionDenied
                    | ErrorCode::DiskFull
                    | ErrorCode::SystemIoFailure
            )
        )
}

/// Opens for change sets; migrates an older format first.
pub(crate) fn write(path: &Path) -> Result<Opened, StoreError> {
    let at = DatabasePath::at(path)?;
    at.check()?;
    let header = Header::read(&at)?;
    if let Err(error @ StoreError::Newer { .. }) = header.check(path) {
        return Err(error);
    }
    let mut db = at.open(OpenFlags::SQLITE_OPEN_READ_WRITE).at(path)?;
    db.busy_timeout(PATIENCE).at(path)?;
    db.execute_batch(WRITING).at(path)?;
    if header.format != FORMAT {
        migrate::run(&mut db, path, migrate::STEPS, header.format, FORMAT)?;
    }
    let meta = meta::select(&db).at(path)?;
    opened_or_damaged(path, (prepared(db), meta))
}

/// Checkpoints a database as far as its readers allow and truncates the write-ahead log. Does nothing if it is damaged.
pub(crate) fn checkpoint_and_truncate(at: &DatabasePath) {
    checkpoint(at, "PRAGMA wal_checkpoint(TRUNCATE)");
}

/// Checkpoints a database as far as possible without blocking anybody, for a process that keeps it open and is idle. Does
/// nothing while another process writes.
pub fn checkpoint_wal(path: &Path) {
    let Ok(at) = DatabasePath::at(path) else { return };
    if !at.has_log() {
        return;
    }
    let _opening = write_lock::opening(&at.directory);
    let (mut _lock, mut _broken) = (None, None);
    if seal::is_sealed(&at) {
        let Ok(Some(lock)) = write_lock::WriteLock::try_acquire(at.directory.path()) else { return };
        let Ok(broken) = seal::Unsealed::open(&at) else { return };
        (_lock, _broken) = (Some(lock), Some(broken));
    }
    checkpoint(&at, "PRAGMA wal_checkpoint(PASSIVE)");
}

/// If this fails, the write-ahead log stays.
fn checkpoint(at: &DatabasePath, statement: &str) {
    if at.has_log()
        && at.check().is_ok()
        && let Ok(db) = at.open(OpenFlags::SQLITE_OPEN_READ_WRITE)
    {
        let _ = db.query_row(statement, [], |_| Ok(()));
    }
}

/// The maximum size of a tree whose index has pages of 4 KiB. Pages of 8 KiB pack outlines of a few KiB better, but each
/// table has one partly filled page, which costs more in a small index.
const SMALL_TREE: u64 = 3 << 20;

/// Creates a database for a tree of about `bytes` bytes.
pub(crate) fn load(at: &DatabasePath, bytes: u64) -> Result<Db, StoreError> {
    let path = &at.path;
    at.make_file().at(path)?;
    at.check()?;
    let db = vfs::creating(|| at.open(OpenFlags::SQLITE_OPEN_READ_WRITE)).at(path)?;
    let page = if bytes <= SMALL_TREE { 4096 } else { 8192 };
    db.pragma_update(None, "page_size", page).at(path)?;
    vfs::reserve(&db);
    db.execute_batch(LOADING).at(path)?;
    mark(&db).at(path)?;
    Ok(prepared(db))
}

/// Switches a new database to a write-ahead log. Later that would require exclusive access.
pub(crate) fn enable_wal(at: &DatabasePath) -> Result<(), StoreError> {
    at.check()?;
    let db = at.open(OpenFlags::SQLITE_OPEN_READ_WRITE).at(&at.path)?;
    db.execute_batch("PRAGMA journal_mode = WAL").at(&at.path)?;
    db.close().at(&at.path)
}

/// A new database in memory.
pub(crate) fn memory(name: &Path) -> Result<Db, StoreError> {
    let db = in_memory().at(name)?;
    mark(&db).at(name)?;
    Ok(prepared(db))
}

/// Even sorting stays in memory: the disk may be full.
fn in_memory() -> rusqlite::Result<Db> {
    let db = Db::in_memory()?;
    db.execute_batch("PRAGMA temp_store = MEMORY")?;
    Ok(db)
}

fn mark(db: &Connection) -> rusqlite::Result<()> {
    db.pragma_update(None, "application_id", APPLICATION)?;
    db.pragma_update(None, "user_version", FORMAT)
}

/// An in-memory copy of the database as a reader sees it.
pub(crate) fn memory_copy(path: &Path) -> Result<Opened, StoreError> {
    let mut source = read(path)?;
    let mut image = source.db.serialize("main").at(path)?.to_vec();
    // A database in memory has no write-ahead log: bytes 18 and 19 are the write and read versions of the format.
    if let Some(bytes) = image.get_mut(18..20) {
        bytes.fill(1);
    }
    let size = image.len();
    let mut db = in_memory().at(path)?;
    db.deserialize_read_exact("main", image.as_slice(), size, false).at(path)?;
    let meta = meta::select(&db).at(path)?;
    opened_or_damaged(path, (prepared(db), meta))
}
