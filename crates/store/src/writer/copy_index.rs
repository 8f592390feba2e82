//! Copies the index of another worktree as the first index of a new one.

use crate::connection::database::Db;
use crate::connection::database_path::DatabasePath;
use crate::connection::open;
use crate::connection::vfs;
use crate::connection::write_lock::WriteLock;
use crate::error::{AtPath, StoreError};
use crate::writer::bulk_load::{NewDatabase, swap_in};
use std::io;
use std::path::Path;

/// Replaces the index `to`, in the directory of the lock, by a copy of the index at `from` as a reader sees it. Does not
/// wait for a writer of `from`.
pub fn copy_index(from: &Path, to: &Path, _lock: &WriteLock) -> Result<(), StoreError> {
    let growing = NewDatabase::beside(&DatabasePath::at(to)?);
    copy(from, &growing.0)?;
    swap_in(&growing.0, to)
}

fn copy(from: &Path, to: &DatabasePath) -> Result<(), StoreError> {
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
