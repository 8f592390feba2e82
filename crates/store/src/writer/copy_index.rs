//! A first index for a new working tree: a copy of the one of a sibling.

use crate::connection::database::Db;
use crate::connection::database_path::Located;
use crate::connection::open;
use crate::connection::vfs;
use crate::connection::write_lock::WriteLock;
use crate::error::{AtPath, StoreError};
use crate::writer::bulk_load::{Growing, swap_in};
use std::io;
use std::path::Path;

/// Puts a copy of the index at `from`, as a reader sees it now, in the place of `to`, which lies in the folder of the
/// lock. Never waits for a writer of `from`.
pub fn copy_index(from: &Path, to: &Path, _lock: &WriteLock) -> Result<(), StoreError> {
    let growing = Growing::beside(&Located::at(to)?);
    copy(from, &growing.0)?;
    swap_in(&growing.0, to)
}

fn copy(from: &Path, to: &Located) -> Result<(), StoreError> {
    let source = open::read(from)?;
    source.db.execute_batch("COMMIT").at(from)?;
    // An empty file is taken for an empty database, and keeps its mode.
    to.make_file().at(&to.path)?;
    let Some(name) = Db::name_for_sqlite(&to.folder, &to.name) else {
        return Err(StoreError::io(&to.path, io::ErrorKind::InvalidFilename.into()));
    };
    vfs::creating(|| source.db.execute("VACUUM INTO ?1", [name])).at(&to.path)?;
    open::keep_log(to)?;
    to.file()?.sync_all().at(&to.path)
}
