//! Copies the index of another tree as the first index of a new one.

use crate::connection::database::Db;
use crate::connection::database_path::DatabasePath;
use crate::connection::open;
use crate::connection::vfs;
use crate::connection::write_lock::{self, WriteLock};
use crate::error::{AtPath, StoreError};
use crate::integrity::seal;
use crate::writer::bulk_load::{NewDatabase, swap_in, swap_in_sealed};
use orient_safefs::Access;
use std::io;
use std::path::Path;

/// Replaces the index `to`, in the directory of the lock, by a copy of the index at `from` as a reader sees it. Does not
/// wait for a writer of `from`.
pub fn copy_index(from: &Path, to: &Path, _lock: &WriteLock) -> Result<(), StoreError> {
    let growing = NewDatabase::beside(&DatabasePath::at(to)?);
    let source = DatabasePath::at(from)?;
    if let Some(_lock) = lock_without_log(&source)? {
        copy_file(&source, &growing.0)?;
        return swap_in_sealed(&growing.0, to, |copy| seal::copied(copy, &source));
    }
    copy_rows(from, &growing.0)?;
    swap_in(&growing.0, to)
}

/// Locks a database whose file alone is complete: nobody writes it, and its log is empty. `None` if that is not possible now.
fn lock_without_log(source: &DatabasePath) -> Result<Option<WriteLock>, StoreError> {
    let Some(lock) = WriteLock::try_acquire(source.directory.path())? else { return Ok(None) };
    if source.has_log() {
        let _opening = write_lock::opening(&source.directory);
        let _unsealed = if seal::is_sealed(source) { Some(seal::Unsealed::open(source)?) } else { None };
        open::checkpoint_and_truncate(source);
    }
    Ok((!source.has_log()).then_some(lock))
}

/// Copies the file. It is not synced: if the machine stops before it is on disk, its checksums show that, and it is rebuilt.
fn copy_file(source: &DatabasePath, to: &DatabasePath) -> Result<(), StoreError> {
    // A database of this format, and not a damaged one.
    drop(open::read(&source.path)?);
    let mut copy = to.directory.file(&to.name, Access::Create).at(&to.path)?;
    source.file()?.copy_to(&mut copy).at(&to.path).map(drop)
}

/// Copies the content row by row, while others may write.
fn copy_rows(from: &Path, to: &DatabasePath) -> Result<(), StoreError> {
    let source = open::read(from)?;
    source.db.execute_batch("COMMIT").at(from)?;
    // SQLite treats an empty file as an empty database and keeps its mode.
    to.make_file().at(&to.path)?;
    let Some(name) = Db::name_for_sqlite(&to.directory, &to.name) else {
        return Err(StoreError::io(&to.path, io::ErrorKind::InvalidFilename.into()));
    };
    vfs::creating(|| source.db.execute("VACUUM INTO ?1", [name])).at(&to.path)?;
    open::enable_wal(to)?;
    to.file()?.sync_all().at(&to.path)
}
