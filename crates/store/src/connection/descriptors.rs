//! Keeps extra descriptors of databases open while SQLite uses the same files.
//!
//! POSIX releases every lock that a process holds on a file as soon as the process closes *any* descriptor of that file.
//! Reading the header of a database that is open in this process would thus drop SQLite's shared lock; another process could
//! then believe that it is the last user of the write-ahead log and delete it. So a descriptor stays open while SQLite has
//! its file open, and the next reader uses it again; the last connection to the file closes it.

use crate::integrity::damaged_files::FileKey;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// The descriptors and connections of one file.
#[derive(Default)]
struct OpenFile {
    connections: usize,
    /// Descriptors that are not in use and must not be closed yet.
    retained: Vec<File>,
}

static OPEN: LazyLock<Mutex<HashMap<FileKey, OpenFile>>> = LazyLock::new(Mutex::default);

fn open_files() -> MutexGuard<'static, HashMap<FileKey, OpenFile>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Held by every SQLite connection to a file until after SQLite has closed the file.
pub(crate) struct Connected(FileKey);

impl Connected {
    pub(crate) fn to(file: FileKey) -> Self {
        open_files().entry(file).or_default().connections += 1;
        Self(file)
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        let mut files = open_files();
        let Some(file) = files.get_mut(&self.0) else { return };
        file.connections -= 1;
        if file.connections == 0 {
            files.remove(&self.0);
        }
    }
}

/// A database file, opened for reading from its start.
pub(crate) struct DatabaseFile {
    key: Option<FileKey>,
    file: Option<File>,
}

impl DatabaseFile {
    /// Uses a retained descriptor of the file with this key, or one from `open`.
    pub(crate) fn new(key: Option<FileKey>, open: impl FnOnce() -> io::Result<File>) -> io::Result<Self> {
        let retained = key.and_then(|key| open_files().get_mut(&key)?.retained.pop());
        let mut file = Self { key, file: Some(retained.map_or_else(open, Ok)?) };
        file.file.as_mut().map_or(Ok(()), File::rewind)?;
        Ok(file)
    }

    pub(crate) fn length(&self) -> io::Result<u64> {
        self.file.as_ref().map_or(Ok(0), |file| Ok(file.metadata()?.len()))
    }

    /// Copies the content from the start, within the file system where it can.
    pub(crate) fn copy_to(&self, to: &mut File) -> io::Result<u64> {
        self.file.as_ref().map_or(Ok(0), |mut file| io::copy(&mut file, to))
    }

    pub(crate) fn sync_all(&self) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), File::sync_all)
    }
}

impl Read for DatabaseFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.read(buffer))
    }
}

impl Drop for DatabaseFile {
    fn drop(&mut self) {
        let (Some(key), Some(file)) = (self.key, self.file.take()) else { return };
        // Close the descriptor of a file without connections before unlocking the registry, so that no connection opens in
        // between.
        match open_files().get_mut(&key) {
            Some(open) => open.retained.push(file),
            None => drop(file),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_outlives_its_reader_while_the_file_has_connections() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("index.db");
        std::fs::write(&path, "header").expect("it is written");
        let key = FileKey::at(&path);
        let reader = || DatabaseFile::new(key, || File::open(&path)).expect("it opens");
        let descriptors = || key.and_then(|key| Some(open_files().get(&key)?.retained.len()));

        drop(reader());
        assert_eq!(descriptors(), None, "closed at once: the file has no connection");

        let connections =
            [Connected::to(key.expect("it is there")), Connected::to(key.expect("it is there"))];
        for _ in 0..3 {
            let mut text = String::new();
            reader().read_to_string(&mut text).expect("it is read");
            assert_eq!(text, "header", "each reader starts at the first byte");
        }
        assert_eq!(descriptors(), Some(1), "the descriptor is reused");

        let [first, last] = connections;
        drop(first);
        assert_eq!(descriptors(), Some(1));
        drop(last);
        assert_eq!(descriptors(), None);
    }
}
