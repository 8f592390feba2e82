//! How a database is opened: for reading, for writing, for a bulk load, in memory.

use crate::connection::database::Db;
use crate::connection::database_path::Located;
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

/// Commits do not wait for the disk: after a loss of power the last change sets may be gone, the file is whole. Nor do they
/// move the log into the file unless it has become large: whoever closes it last does, and [`move_log`].
const WRITING: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 16384; \
     PRAGMA journal_size_limit = 67108864;";
/// Nobody sees the file before it is whole, so nothing needs to be undone or waited for. The cache bounds memory.
const LOADING: &str = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; \
     PRAGMA cache_size = -32768;";
/// Pages are looked at where the system has them, as many as the database knows to: a question is mostly many short looks at
/// many pages, and every question has a connection of its own, whose cache would be empty.
const READING: &str = "PRAGMA mmap_size = 2147418112; BEGIN";
/// Statements we use at the same time; above the number of constants in `sql`.
const STATEMENTS: usize = 128;

/// How long to wait for another program that looks at the file with its own tools.
const PATIENCE: Duration = Duration::from_secs(5);

/// A connection with its first row read, so that it stands on one generation.
pub(crate) struct Opened {
    pub(crate) db: Db,
    pub(crate) meta: Meta,
}

/// Sets what holds for every connection of ours.
pub(crate) fn prepared(db: Db) -> Db {
    db.set_prepared_statement_cache_capacity(STATEMENTS);
    // Else a statement with a join is compiled anew for every value bound to it, in case another plan were better.
    let _ = db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true);
    db
}

/// Opens for reading, inside one read transaction.
pub(crate) fn read(path: &Path) -> Result<Opened, StoreError> {
    let at = Located::at(path)?;
    let _opening = write_lock::opening(&at.folder);
    read_while_opening(&at)
}

/// The same for those who hold the lock of opening.
pub(crate) fn read_while_opening(at: &Located) -> Result<Opened, StoreError> {
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

/// Opens a database for reading where no file can be made beside it. What waits in its log is read with the list of it in
/// memory, which keeps others out: a process that has it open shares its list, and needs no room either.
pub(crate) fn open_alone(at: &Located) -> rusqlite::Result<Db> {
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

/// Whether reading failed because no file could be made beside the database, or it could not grow.
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

/// Opens for change sets, migrating an older format.
pub(crate) fn write(path: &Path) -> Result<Opened, StoreError> {
    let at = Located::at(path)?;
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

/// Moves what waits in the log of a database into the database, as far as its readers allow; nothing if it is damaged.
pub(crate) fn empty_log(at: &Located) {
    checkpoint(at, "PRAGMA wal_checkpoint(TRUNCATE)");
}

/// Moves what waits in the log of a database into the database, as far as that holds up nobody: for those who keep it open
/// and have nothing else to do. An index that somebody writes is left to them.
pub fn move_log(path: &Path) {
    let Ok(at) = Located::at(path) else { return };
    if !at.has_log() {
        return;
    }
    let _opening = write_lock::opening(&at.folder);
    let (mut _lock, mut _broken) = (None, None);
    if seal::is_sealed(&at) {
        let Ok(Some(lock)) = write_lock::WriteLock::try_acquire(at.folder.path()) else { return };
        let Ok(broken) = seal::Broken::open(&at) else { return };
        (_lock, _broken) = (Some(lock), Some(broken));
    }
    checkpoint(&at, "PRAGMA wal_checkpoint(PASSIVE)");
}

/// Where it fails, the log is read a little longer.
fn checkpoint(at: &Located, statement: &str) {
    if at.has_log()
        && at.check().is_ok()
        && let Ok(db) = at.open(OpenFlags::SQLITE_OPEN_READ_WRITE)
    {
        let _ = db.query_row(statement, [], |_| Ok(()));
    }
}

/// Pages of 8 KiB pack outlines of a few KiB better than those of 4 KiB; but every table has a page that is not full, which
/// for a tree of so many bytes or less is more.
const SMALL_TREE: u64 = 3 << 20;

/// Makes a new database at a place where there is none, for a tree of about so many bytes.
pub(crate) fn load(at: &Located, bytes: u64) -> Result<Db, StoreError> {
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

/// Makes a database that nobody uses yet one that is written with a log: later that would need all readers to be gone.
pub(crate) fn keep_log(at: &Located) -> Result<(), StoreError> {
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

/// Nothing of it reaches a disk, which may be full: sorting does not either.
fn in_memory() -> rusqlite::Result<Db> {
    let db = Db::in_memory()?;
    db.execute_batch("PRAGMA temp_store = MEMORY")?;
    Ok(db)
}

fn mark(db: &Connection) -> rusqlite::Result<()> {
    db.pragma_update(None, "application_id", APPLICATION)?;
    db.pragma_update(None, "user_version", FORMAT)
}

/// A copy in memory of what a reader of the path sees.
pub(crate) fn memory_copy(path: &Path) -> Result<Opened, StoreError> {
    let mut source = read(path)?;
    let mut image = source.db.serialize("main").at(path)?.to_vec();
    // A database in memory has no log: bytes 18 and 19 say how it is written and read.
    if let Some(bytes) = image.get_mut(18..20) {
        bytes.fill(1);
    }
    let size = image.len();
    let mut db = in_memory().at(path)?;
    db.deserialize_read_exact("main", image.as_slice(), size, false).at(path)?;
    let meta = meta::select(&db).at(path)?;
    opened_or_damaged(path, (prepared(db), meta))
}
