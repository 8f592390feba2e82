//! The write lock and the open lock: two lock files beside the database, held through the operating system.
//!
//! A writer holds `lock` while it writes, and its pid and heartbeat are in that file (see [`crate::connection::heartbeat`]).
//! `open.lock` is held exclusively while a newly built database replaces the old one, and shared while one is opened: nobody
//! opens the new file with the log of the old one.

use crate::connection::heartbeat::{Heartbeat, HolderWatch, Record};
use crate::error::{AtPath, StoreError};
use orient_safefs::{Access, Directory};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(crate) const WRITER: &str = "lock";
const OPENING: &str = "open.lock";
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// The exclusive right to write to the store in a directory. Released when dropped, and by the system when the process dies.
#[derive(Debug)]
pub struct WriteLock {
    directory: PathBuf,
    /// Owns the locked file.
    _heartbeat: Heartbeat,
}

impl WriteLock {
    /// Acquires the lock of a directory; creates the directory if it is missing.
    ///
    /// While another process holds the lock, calls `wait` every few milliseconds with the time waited so far. Returns `None`
    /// when `wait` returns false.
    pub fn acquire(
        directory: &Path,
        mut wait: impl FnMut(Duration) -> bool,
    ) -> Result<Option<Self>, StoreError> {
        let own = Directory::create(directory).at(directory)?;
        let path = directory.join(WRITER);
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
        let heartbeat = Heartbeat::begin(file).at(&path)?;
        Ok(Some(Self { directory: directory.to_path_buf(), _heartbeat: heartbeat }))
    }

    /// Acquires the lock unless another process holds it.
    pub fn try_acquire(directory: &Path) -> Result<Option<Self>, StoreError> {
        Self::acquire(directory, |_| false)
    }

    /// The process that holds the lock of a directory, if known. For messages only: it may have ended.
    pub fn holder(directory: &Path) -> Option<u32> {
        Record::read(&Directory::open(directory).ok()?, WRITER).map(|record| record.pid)
    }

    /// The directory it protects.
    pub fn directory(&self) -> &Path {
        &self.directory
    }
}

/// The shared open lock, held while a database is opened for reading. `None` if the directory is not writable and the file
/// does not exist: the database cannot be replaced then either.
pub(crate) fn opening(directory: &Directory) -> Option<File> {
    let file =
        directory.file(OPENING, Access::Read).or_else(|_| directory.file(OPENING, Access::Write)).ok()?;
    share(&file, directory)?;
    Some(file)
}

/// Waits for a process that replaces the database, unless that process is stuck: the old or the new file is complete then.
fn share(file: &File, directory: &Directory) -> Option<()> {
    let mut watch = HolderWatch::of(directory.clone());
    loop {
        match file.try_lock_shared() {
            Ok(()) => return Some(()),
            Err(TryLockError::WouldBlock) if watch.stuck().is_none() => std::thread::sleep(FIRST_PAUSE),
            Err(_) => return None,
        }
    }
}

/// The exclusive open lock, held while a database replaces another.
pub(crate) fn replacing(directory: &Directory) -> Result<File, StoreError> {
    let path = directory.path().join(OPENING);
    let file = directory.file(OPENING, Access::Write).at(&path)?;
    file.lock().at(&path)?;
    Ok(file)
}

/// The same with a short timeout, since the holder may be stuck.
pub(crate) fn replacing_soon(directory: &Directory) -> Option<File> {
    const MOST: Duration = Duration::from_millis(100);
    let file = directory.file(OPENING, Access::Write).ok()?;
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
    fn opening_does_not_wait_for_a_stopped_process() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut child = Command::new("sleep").arg("60").spawn().expect("it starts");
        let stopped = Command::new("kill").args(["-STOP", &child.id().to_string()]).status();
        assert!(stopped.expect("kill runs").success());
        crate::connection::heartbeat::sign_for(child.id(), &directory.path().join(WRITER));
        let own = Directory::open(directory.path()).expect("it is ours");
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
