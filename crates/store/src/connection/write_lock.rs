//! Who may write, and when a file may be opened: two lock files beside the database, held by the operating system.
//!
//! `lock` is held for as long as somebody writes, and says who does (see [`crate::connection::heartbeat`]). `open.lock` is held for the moment a freshly built database takes
//! the place of the old one, so that nobody opens the one file with the other's log.

use crate::connection::heartbeat::{Beating, HolderWatch, Record};
use crate::error::{AtPath, StoreError};
use orient_safefs::{Access, Folder};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(crate) const WRITER: &str = "lock";
const OPENING: &str = "open.lock";
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// The right to write to the store of a folder. Given back when dropped, and by the system when the process dies.
#[derive(Debug)]
pub struct WriteLock {
    folder: PathBuf,
    /// Holds the locked file.
    _beating: Beating,
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
        let file = own.file(WRITER, Access::Write).at(&path)?;
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
        let beating = Beating::begin(file).at(&path)?;
        Ok(Some(Self { folder: folder.to_path_buf(), _beating: beating }))
    }

    /// Takes the lock if nobody holds it.
    pub fn try_acquire(folder: &Path) -> Result<Option<Self>, StoreError> {
        Self::acquire(folder, |_| false)
    }

    /// The process that holds the lock of a folder, as far as it says; only for messages, it may have ended.
    pub fn holder(folder: &Path) -> Option<u32> {
        Record::read(&Folder::open(folder).ok()?, WRITER).map(|record| record.pid)
    }

    /// The folder it is for.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Held while a database is opened for reading. Absent where the folder cannot be written and nobody made the file:
/// then nobody can replace the database either.
pub(crate) fn opening(folder: &Folder) -> Option<File> {
    let file = folder.file(OPENING, Access::Read).or_else(|_| folder.file(OPENING, Access::Write)).ok()?;
    share(&file, folder)?;
    Some(file)
}

/// Waits for whoever replaces the database, unless it is stuck: while it does nothing, what is there is whole.
fn share(file: &File, folder: &Folder) -> Option<()> {
    let mut watch = HolderWatch::of(folder.clone());
    loop {
        match file.try_lock_shared() {
            Ok(()) => return Some(()),
            Err(TryLockError::WouldBlock) if watch.stuck().is_none() => std::thread::sleep(FIRST_PAUSE),
            Err(_) => return None,
        }
    }
}

/// Held while a database takes the place of another.
pub(crate) fn replacing(folder: &Folder) -> Result<File, StoreError> {
    let path = folder.path().join(OPENING);
    let file = folder.file(OPENING, Access::Write).at(&path)?;
    file.lock().at(&path)?;
    Ok(file)
}

/// The same where it is not worth waiting long: whoever holds it may be stuck.
pub(crate) fn replacing_soon(folder: &Folder) -> Option<File> {
    const MOST: Duration = Duration::from_millis(100);
    let file = folder.file(OPENING, Access::Write).ok()?;
    let since = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Some(file),
            Err(TryLockError::WouldBlock) if since.elapsed() < MOST => std::thread::sleep(FIRST_PAUSE),
            Err(_) => return None,
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn nobody_waits_to_open_what_a_stopped_process_is_replacing() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = Command::new("sleep").arg("60").spawn().expect("it starts");
        let stopped = Command::new("kill").args(["-STOP", &child.id().to_string()]).status();
        assert!(stopped.expect("kill runs").success());
        crate::connection::heartbeat::sign_for(child.id(), &folder.path().join(WRITER));
        let own = Folder::open(folder.path()).expect("it is ours");
        let replacing = replacing(&own).expect("nobody else does");
        let begun = Instant::now();
        assert!(opening(&own).is_none());
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        let _ = child.kill();
        let _ = child.wait();
        drop(replacing);
        assert!(opening(&own).is_some());
    }
}
