//! Where a database is: its name in a folder that was checked. What is opened, made, renamed or removed, is so through
//! that folder.

use crate::connection::database::Db;
use crate::connection::descriptors::DatabaseFile;
use crate::error::{AtPath, StoreError};
use crate::integrity::damaged_files::{self, FileKey};
use orient_safefs::{Access, Folder, Refusal, Why};
use rusqlite::OpenFlags;
use std::io;
use std::path::{Path, PathBuf};

/// A database, or a place for one.
#[derive(Clone)]
pub(crate) struct Located {
    pub(crate) folder: Folder,
    pub(crate) name: String,
    /// For messages.
    pub(crate) path: PathBuf,
}

impl Located {
    /// The place of a path whose folder is there.
    pub(crate) fn at(path: &Path) -> Result<Self, StoreError> {
        let (folder, name) = parts(path)?;
        match Folder::open(folder) {
            Ok(folder) => Ok(Self { folder, name, path: path.to_path_buf() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(StoreError::Missing { path: path.to_path_buf() })
            }
            Err(error) => Err(StoreError::io(path, error)),
        }
    }

    /// The same, making the folder where it is missing.
    pub(crate) fn make(path: &Path) -> Result<Self, StoreError> {
        let (folder, name) = parts(path)?;
        Ok(Self { folder: Folder::create(folder).at(folder)?, name, path: path.to_path_buf() })
    }

    /// Another name in the same folder.
    pub(crate) fn named(&self, name: String) -> Self {
        Self { folder: self.folder.clone(), path: self.folder.path().join(&name), name }
    }

    /// Checks the database and the files beside it, all of which `SQLite` opens by name: each is missing, or a plain file of
    /// ours without other names. Anything else is damage, so that a new database takes its place.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        self.folder.checked(&self.name).map_err(|error| self.refused(error))?;
        for name in self.everything_beside() {
            self.folder.checked(&name).map_err(|error| self.refused(error))?;
        }
        Ok(())
    }

    /// The database is not what was written.
    pub(crate) fn damaged(&self, what: String) -> StoreError {
        damaged_files::report_of(self, &what);
        StoreError::Damaged { path: self.path.clone(), detail: what }
    }

    /// What a refusal of one of our files means.
    pub(crate) fn refused(&self, error: io::Error) -> StoreError {
        match Refusal::of(&error).map(|refusal| refusal.why) {
            Some(Why::Link | Why::NotAFile | Why::Linked) => self.damaged(error.to_string()),
            _ => StoreError::io(&self.path, error),
        }
    }

    /// The file, for a look past SQLite.
    pub(crate) fn open_file(&self) -> io::Result<DatabaseFile> {
        DatabaseFile::new(FileKey::of(self), || self.folder.file(&self.name, Access::Read))
    }

    /// The same, with an error that names the database.
    pub(crate) fn file(&self) -> Result<DatabaseFile, StoreError> {
        match self.open_file() {
            Ok(file) => Ok(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(StoreError::Missing { path: self.path.clone() })
            }
            Err(error) => Err(self.refused(error)),
        }
    }

    /// Makes an empty file that only this user may read, which `SQLite` takes for an empty database. The files beside it get
    /// the same mode from `SQLite`.
    pub(crate) fn make_file(&self) -> io::Result<()> {
        match self.folder.file(&self.name, Access::Create) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made.map(drop),
        }
    }

    /// Opens the database, which must be there.
    pub(crate) fn open(&self, flags: OpenFlags) -> rusqlite::Result<Db> {
        Db::open(&self.folder, &self.name, flags)
    }

    /// The same for one that nobody can change.
    pub(crate) fn open_immutable(&self) -> rusqlite::Result<Db> {
        Db::open_immutable(&self.folder, &self.name, OpenFlags::SQLITE_OPEN_READ_ONLY)
    }

    /// The names of the files that lie beside a database while it is in use: its log and its shared memory.
    pub(crate) fn beside(&self) -> [String; 2] {
        ["-wal", "-shm"].map(|suffix| format!("{}{suffix}", self.name))
    }

    /// The same, and that of a journal: we keep none, but `SQLite` would open one that is there.
    pub(crate) fn everything_beside(&self) -> [String; 3] {
        let [log, shared] = self.beside();
        [log, shared, format!("{}-journal", self.name)]
    }

    /// Whether committed pages may still wait in the log beside the database.
    pub(crate) fn has_log(&self) -> bool {
        self.folder.entry(&self.beside()[0]).is_some_and(|log| log.bytes > 0)
    }

    /// Removes the database and what lies beside it.
    pub(crate) fn remove(&self) {
        let _ = self.folder.remove(&self.name);
        for name in self.everything_beside() {
            let _ = self.folder.remove(&name);
        }
    }

    /// Which files a connection opened now would read: the database and its shared memory.
    pub(crate) fn identity(&self) -> Option<[(u64, u64); 2]> {
        let [_, shared] = self.beside();
        let id = |name| self.folder.entry(name).map(|entry| entry.id).filter(|id| *id != (0, 0));
        Some([id(&self.name)?, id(&shared)?])
    }
}

/// The folder of a path and the name in it.
fn parts(path: &Path) -> Result<(&Path, String), StoreError> {
    let name = path.file_name().and_then(|name| name.to_str());
    match (path.parent(), name) {
        (Some(folder), Some(name)) => Ok((folder, name.to_owned())),
        _ => Err(StoreError::io(path, io::ErrorKind::InvalidFilename.into())),
    }
}
