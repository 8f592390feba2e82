//! The path of a database: a name in a checked directory. All opening, creating, renaming and removing goes through that
//! directory.

use crate::connection::database::Db;
use crate::connection::descriptors::DatabaseFile;
use crate::error::{AtPath, StoreError};
use crate::integrity::damaged_files::{self, FileKey};
use orient_safefs::{Access, Directory, UnsafePath, UnsafeReason};
use rusqlite::OpenFlags;
use std::io;
use std::path::{Path, PathBuf};

/// A database that exists or will be created.
#[derive(Clone)]
pub(crate) struct DatabasePath {
    pub(crate) directory: Directory,
    pub(crate) name: String,
    /// For messages.
    pub(crate) path: PathBuf,
}

impl DatabasePath {
    /// The path of a database in an existing directory.
    pub(crate) fn at(path: &Path) -> Result<Self, StoreError> {
        let (directory, name) = parts(path)?;
        match Directory::open(directory) {
            Ok(directory) => Ok(Self { directory, name, path: path.to_path_buf() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(StoreError::Missing { path: path.to_path_buf() })
            }
            Err(error) => Err(StoreError::io(path, error)),
        }
    }

    /// The same; creates the directory if it is missing.
    pub(crate) fn make(path: &Path) -> Result<Self, StoreError> {
        let (directory, name) = parts(path)?;
        Ok(Self { directory: Directory::create(directory).at(directory)?, name, path: path.to_path_buf() })
    }

    /// Another name in the same directory.
    pub(crate) fn named(&self, name: String) -> Self {
        Self { directory: self.directory.clone(), path: self.directory.path().join(&name), name }
    }

    /// Checks the database and the files beside it, all of which SQLite opens by name: each is missing, or a regular file of
    /// this user without other hard links. Anything else counts as damage, so that a new database replaces it.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        self.directory.checked(&self.name).map_err(|error| self.refused(error))?;
        for name in self.everything_beside() {
            self.directory.checked(&name).map_err(|error| self.refused(error))?;
        }
        Ok(())
    }

    /// Reports damage and returns the error.
    pub(crate) fn damaged(&self, what: String) -> StoreError {
        damaged_files::report_of(self, &what);
        StoreError::Damaged { path: self.path.clone(), detail: what }
    }

    /// Translates an error of opening one of our files.
    pub(crate) fn refused(&self, error: io::Error) -> StoreError {
        match UnsafePath::of(&error).map(|unsafe_path| unsafe_path.reason) {
            Some(UnsafeReason::Link | UnsafeReason::NotAFile | UnsafeReason::Linked) => {
                self.damaged(error.to_string())
            }
            _ => StoreError::io(&self.path, error),
        }
    }

    /// The file, for reading without SQLite.
    pub(crate) fn open_file(&self) -> io::Result<DatabaseFile> {
        DatabaseFile::new(FileKey::of(self), || self.directory.file(&self.name, Access::Read))
    }

    /// The same with an error that names the database.
    pub(crate) fn file(&self) -> Result<DatabaseFile, StoreError> {
        match self.open_file() {
            Ok(file) => Ok(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(StoreError::Missing { path: self.path.clone() })
            }
            Err(error) => Err(self.refused(error)),
        }
    }

    /// Creates an empty private file, which SQLite treats as an empty database. SQLite gives the files beside it the same
    /// mode.
    pub(crate) fn make_file(&self) -> io::Result<()> {
        match self.directory.file(&self.name, Access::Create) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made.map(drop),
        }
    }

    /// Opens the database, which must exist.
    pub(crate) fn open(&self, flags: OpenFlags) -> rusqlite::Result<Db> {
        Db::open(&self.directory, &self.name, flags)
    }

    /// The same for a database that cannot change.
    pub(crate) fn open_immutable(&self) -> rusqlite::Result<Db> {
        Db::open_immutable(&self.directory, &self.name, OpenFlags::SQLITE_OPEN_READ_ONLY)
    }

    /// The names of the files beside a database in use: the write-ahead log and the shared memory.
    pub(crate) fn beside(&self) -> [String; 2] {
        ["-wal", "-shm"].map(|suffix| format!("{}{suffix}", self.name))
    }

    /// The same and the name of a rollback journal. We use none, but SQLite would open an existing one.
    pub(crate) fn everything_beside(&self) -> [String; 3] {
        let [log, shared] = self.beside();
        [log, shared, format!("{}-journal", self.name)]
    }

    /// Whether committed pages may still be in the write-ahead log.
    pub(crate) fn has_log(&self) -> bool {
        self.log_bytes().is_some_and(|bytes| bytes > 0)
    }

    /// The size of the write-ahead log, if there is one.
    pub(crate) fn log_bytes(&self) -> Option<u64> {
        self.directory.entry(&self.beside()[0]).map(|log| log.bytes)
    }

    /// Removes the database and the files beside it.
    pub(crate) fn remove(&self) {
        let _ = self.directory.remove(&self.name);
        for name in self.everything_beside() {
            let _ = self.directory.remove(&name);
        }
    }

    /// The identities of the files that a connection would read: the database and its shared memory.
    pub(crate) fn identity(&self) -> Option<[(u64, u64); 2]> {
        let [_, shared] = self.beside();
        let id = |name| self.directory.entry(name).map(|entry| entry.id).filter(|id| *id != (0, 0));
        Some([id(&self.name)?, id(&shared)?])
    }
}

/// The directory and the file name of a path.
fn parts(path: &Path) -> Result<(&Path, String), StoreError> {
    let name = path.file_name().and_then(|name| name.to_str());
    match (path.parent(), name) {
        (Some(directory), Some(name)) => Ok((directory, name.to_owned())),
        _ => Err(StoreError::io(path, io::ErrorKind::InvalidFilename.into())),
    }
}
