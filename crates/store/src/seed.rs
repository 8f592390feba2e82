//! A first index for a new working tree: a copy of the one of a sibling.

use crate::bulk::{GROWING, swap_in, with_suffix};
use crate::error::{AtPath, StoreError};
use crate::lock::WriteLock;
use crate::{connect, vfs};
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Puts a copy of the index at `from`, as a reader sees it now, in the place of `to`, which lies in the folder of the
/// lock. Never waits for a writer of `from`.
pub fn copy_index(from: &Path, to: &Path, _lock: &WriteLock) -> Result<(), StoreError> {
    let growing = with_suffix(to, &format!("{GROWING}{}", std::process::id()));
    let _ = fs::remove_file(&growing);
    let copied = copy(from, &growing).and_then(|()| swap_in(&growing, to));
    if copied.is_err() {
        let _ = fs::remove_file(&growing);
    }
    copied
}

fn copy(from: &Path, to: &Path) -> Result<(), StoreError> {
    let source = connect::read(from)?;
    source.db.execute_batch("COMMIT").at(from)?;
    let Some(name) = to.to_str() else {
        return Err(StoreError::Io { path: to.to_path_buf(), source: io::ErrorKind::InvalidFilename.into() });
    };
    vfs::creating(|| source.db.execute("VACUUM INTO ?1", [name])).at(to)?;
    connect::keep_log(to)?;
    File::open(to).and_then(|file| file.sync_all()).at(to)
}
