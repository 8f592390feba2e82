//! How a database is opened: for reading, for writing, for a bulk load, in memory.

use crate::error::{AtPath, StoreError};
use crate::sql::meta::{self, Meta};
use crate::version::{APPLICATION, FORMAT, Header, has_log};
use crate::{lock, migrate, seal, vfs};
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
    pub(crate) db: Connection,
    pub(crate) meta: Meta,
}

/// Sets what holds for every connection of ours.
pub(crate) fn prepared(db: Connection) -> Connection {
    db.set_prepared_statement_cache_capacity(STATEMENTS);
    // Else a statement with a join is compiled anew for every value bound to it, in case another plan were better.
    let _ = db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true);
    db
}

/// Opens for reading, inside one read transaction.
pub(crate) fn read(path: &Path) -> Result<Opened, StoreError> {
    let _opening = lock::opening(path.parent().unwrap_or(Path::new(".")));
    read_while_opening(path)
}

/// The same for those who hold the lock of opening.
pub(crate) fn read_while_opening(path: &Path) -> Result<Opened, StoreError> {
    Header::read(path)?.check(path)?;
    seal::check(path)?;
    match begin_reading(path, false) {
        Ok(opened) => opened_or_damaged(path, opened),
        Err(error) if needs_folder(&error) && !has_log(path) => {
            let opened = begin_reading(path, true).at(path)?;
            opened_or_damaged(path, opened)
        }
        Err(error) => Err(StoreError::sql(path, error)),
    }
}

fn begin_reading(path: &Path, immutable: bool) -> rusqlite::Result<(Connection, Option<Meta>)> {
    vfs::install();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = if immutable {
        Connection::open_with_flags(immutable_uri(path), flags | OpenFlags::SQLITE_OPEN_URI)?
    } else {
        Connection::open_with_flags(path, flags)?
    };
    db.busy_timeout(PATIENCE)?;
    db.execute_batch(READING)?;
    let meta = meta::select(&db)?;
    Ok((prepared(db), meta))
}

fn opened_or_damaged(path: &Path, (db, meta): (Connection, Option<Meta>)) -> Result<Opened, StoreError> {
    match meta {
        Some(meta) => Ok(Opened { db, meta }),
        None => Err(StoreError::damaged(path, "its first row is missing")),
    }
}

/// Whether reading failed because no file could be made beside the database.
fn needs_folder(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
    )
}

/// The name under which a file that nobody can change is opened without any other file beside it.
pub(crate) fn immutable_uri(path: &Path) -> String {
    use std::fmt::Write;
    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_') {
            uri.push(byte as char);
        } else {
            let _ = write!(uri, "%{byte:02x}");
        }
    }
    uri.push_str("?immutable=1");
    uri
}

/// Opens for change sets, migrating an older format.
pub(crate) fn write(path: &Path) -> Result<Opened, StoreError> {
    let header = Header::read(path)?;
    if let Err(error @ StoreError::Newer { .. }) = header.check(path) {
        return Err(error);
    }
    vfs::install();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(path, flags).at(path)?;
    db.busy_timeout(PATIENCE).at(path)?;
    db.execute_batch(WRITING).at(path)?;
    if header.format != FORMAT {
        migrate::run(&mut db, path, migrate::STEPS, header.format, FORMAT)?;
    }
    let meta = meta::select(&db).at(path)?;
    opened_or_damaged(path, (prepared(db), meta))
}

/// Moves what waits in the log of a database into the database, as far as its readers allow; nothing if it is damaged.
pub(crate) fn empty_log(path: &Path) {
    checkpoint(path, "PRAGMA wal_checkpoint(TRUNCATE)");
}

/// Moves what waits in the log of a database into the database, as far as that holds up nobody: for those who keep it open
/// and have nothing else to do. An index that somebody writes is left to them.
pub fn move_log(path: &Path) {
    if !has_log(path) {
        return;
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let _opening = lock::opening(folder);
    let (mut _lock, mut _broken) = (None, None);
    if seal::is_sealed(path) {
        let Ok(Some(lock)) = lock::WriteLock::try_acquire(folder) else { return };
        let Ok(broken) = seal::Broken::open(path) else { return };
        (_lock, _broken) = (Some(lock), Some(broken));
    }
    checkpoint(path, "PRAGMA wal_checkpoint(PASSIVE)");
}

/// Where it fails, the log is read a little longer.
fn checkpoint(path: &Path, statement: &str) {
    vfs::install();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if has_log(path)
        && let Ok(db) = Connection::open_with_flags(path, flags)
    {
        let _ = db.query_row(statement, [], |_| Ok(()));
    }
}

/// Pages of 8 KiB pack outlines of a few KiB better than those of 4 KiB; but every table has a page that is not full, which
/// for a tree of so many bytes or less is more.
const SMALL_TREE: u64 = 3 << 20;

/// Makes a new database at a path where there is none, for a tree of about so many bytes.
pub(crate) fn load(path: &Path, bytes: u64) -> Result<Connection, StoreError> {
    let db = vfs::creating(|| Connection::open(path)).at(path)?;
    let page = if bytes <= SMALL_TREE { 4096 } else { 8192 };
    db.pragma_update(None, "page_size", page).at(path)?;
    vfs::reserve(&db);
    db.execute_batch(LOADING).at(path)?;
    mark(&db).at(path)?;
    Ok(prepared(db))
}

/// Makes a database that nobody uses yet one that is written with a log: later that would need all readers to be gone.
pub(crate) fn keep_log(path: &Path) -> Result<(), StoreError> {
    vfs::install();
    let db = Connection::open(path).at(path)?;
    db.execute_batch("PRAGMA journal_mode = WAL").at(path)?;
    db.close().map_err(|(_, error)| StoreError::sql(path, error))
}

/// A new database in memory.
pub(crate) fn memory(name: &Path) -> Result<Connection, StoreError> {
    let db = Connection::open_in_memory().at(name)?;
    mark(&db).at(name)?;
    Ok(prepared(db))
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
    let mut db = Connection::open_in_memory().at(path)?;
    db.deserialize_read_exact("main", image.as_slice(), size, false).at(path)?;
    let meta = meta::select(&db).at(path)?;
    opened_or_damaged(path, (prepared(db), meta))
}
