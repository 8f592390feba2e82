//! Who may write, and when a file may be opened: two lock files beside the database, held by the operating system.
//!
//! `lock` is held for as long as somebody writes. `open.lock` is held for the moment a freshly built database takes
//! the place of the old one, so that nobody opens the one file with the other's log.

use crate::error::{AtPath, StoreError};
use orient_safefs::{Access, Folder};
use std::fs::{File, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const WRITER: &str = "lock";
const OPENING: &str = "open.lock";
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// The right to write to the store of a folder. Given back when dropped, and by the system when the process dies.
#[derive(Debug)]
pub struct WriteLock {
    folder: PathBuf,
    _file: File,
}

impl WriteLock {
    /// Takes the lock of a folder, creating the folder where needed.
    ///
    /// While somebody else holds it, `wait` is asked every few milliseconds, with the time waited so far, whether to
    /// go on; `None` is returned when it says no.
    pub fn acquire(
        folder: &Path,
        mut wait: impl FnMut(Duration) -> bool,
    ) -> Result<Option<Self>, StoreError> {
        let own = Folder::create(folder).at(folder)?;
        let path = folder.join(WRITER);
        let mut file = own.file(WRITER, Access::Write).at(&path)?;
        let (since, mut pause) = (Instant::now(), FIRST_PAUSE);
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if wait(since.elapsed()) => std::thread::sleep(pause),
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(StoreError::io(&path, error)),
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        sign(&mut file).at(&path)?;
        Ok(Some(Self { folder: folder.to_path_buf(), _file: file }))
    }

    /// Takes the lock if nobody holds it.
    pub fn try_acquire(folder: &Path) -> Result<Option<Self>, StoreError> {
        Self::acquire(folder, |_| false)
    }

    /// The process that holds the lock of a folder, as far as it says; only for messages, it may have ended.
    pub fn holder(folder: &Path) -> Option<u32> {
        let text = Folder::open(folder).ok()?.read(WRITER, 16).ok()??;
        str::from_utf8(&text).ok()?.trim().parse().ok()
    }

    /// The folder it is for.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Notes who holds the lock, unless that would show under another name of the same file. A lock needs no content.
fn sign(file: &mut File) -> std::io::Result<()> {
    if !Folder::is_sole_name(file) {
        return Ok(());
    }
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    writeln!(file, "{}", std::process::id())
}

/// Held while a database is opened for reading. Absent where the folder cannot be written and nobody made the file:
/// then nobody can replace the database either.
pub(crate) fn opening(folder: &Folder) -> Option<File> {
    let file = folder.file(OPENING, Access::Read).or_else(|_| folder.file(OPENING, Access::Write)).ok()?;
    file.lock_shared().ok()?;
    Some(file)
}

/// Held while a database takes the place of another.
pub(crate) fn replacing(folder: &Folder) -> Result<File, StoreError> {
    let path = folder.path().join(OPENING);
    let file = folder.file(OPENING, Access::Write).at(&path)?;
    file.lock().at(&path)?;
    Ok(file)
}
