//! SQLite connections opened through the descriptor of their directory.
//!
//! SQLite opens files by name, and opens more of them later: the write-ahead log and the shared memory beside a database. If
//! the directory were replaced by a link between two of these steps, SQLite would write somewhere else. On Linux a path such
//! as `/proc/self/fd/7/index.db` leads through a descriptor that was checked and cannot come to mean another directory.
//! SQLite would first resolve that path to the real one; `vfs.rs` skips that step. SQLite never follows a link in the last
//! component of a path (`O_NOFOLLOW`).
//!
//! On other systems the database is opened by its path without following links (`SQLITE_OPEN_NOFOLLOW`), and the directory
//! is then compared with the one that was checked.

use crate::connection::vfs;
use orient_safefs::Directory;
use rusqlite::ffi;
use rusqlite::{Connection, OpenFlags};
use std::ops::{Deref, DerefMut};
use std::path::Path;

/// A connection and the directory of its files. The connection is dropped first.
pub(crate) struct Db {
    connection: Connection,
    directory: Option<Directory>,
}

impl Db {
    /// A connection to a database in memory.
    pub(crate) fn in_memory() -> rusqlite::Result<Self> {
        Ok(Self { connection: Connection::open_in_memory()?, directory: None })
    }

    /// Opens a file of a directory. The caller has checked it and the files beside it.
    pub(crate) fn open(directory: &Directory, file: &str, flags: OpenFlags) -> rusqlite::Result<Self> {
        Self::open_as(directory, file, flags, |path| path.as_os_str().to_owned())
    }

    /// The same for a file that cannot change: no file beside it is created or read.
    pub(crate) fn open_immutable(
        directory: &Directory,
        file: &str,
        flags: OpenFlags,
    ) -> rusqlite::Result<Self> {
        Self::open_as(directory, file, flags | OpenFlags::SQLITE_OPEN_URI, |path| immutable_uri(path).into())
    }

    fn open_as(
        directory: &Directory,
        file: &str,
        flags: OpenFlags,
        named: impl FnOnce(&Path) -> std::ffi::OsString,
    ) -> rusqlite::Result<Self> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            if let (Some(name), Some(vfs)) = (directory.descriptor_path(file), vfs::through_descriptors()) {
                Connection::open_with_flags_and_vfs(named(&name), flags, vfs)?
            } else {
                let flags = flags | OpenFlags::SQLITE_OPEN_NOFOLLOW;
                let connection = Connection::open_with_flags(named(&directory.path().join(file)), flags)?;
                if !directory.is_in_place() {
                    return Err(cannot_open("its directory was replaced while it was opened"));
                }
                connection
            };
        Ok(Self { connection, directory: Some(directory.clone()) })
    }

    /// The path by which SQLite reaches another file of a directory, for `VACUUM INTO`.
    pub(crate) fn name_for_sqlite(directory: &Directory, file: &str) -> Option<String> {
        let name = directory.descriptor_path(file).filter(|_| vfs::through_descriptors().is_some());
        name.unwrap_or_else(|| directory.path().join(file)).into_os_string().into_string().ok()
    }

    /// Closes the connection and returns the error, if there is one.
    pub(crate) fn close(self) -> rusqlite::Result<()> {
        let Self { connection, directory } = self;
        let closed = connection.close().map_err(|(_, error)| error);
        drop(directory);
        closed
    }
}

impl Deref for Db {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl DerefMut for Db {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

pub(crate) fn cannot_open(why: &str) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CANTOPEN), Some(why.to_owned()))
}

/// The URI that opens an unchangeable file without any other file beside it.
fn immutable_uri(path: &Path) -> String {
    use std::fmt::Write;
    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_') {
            uri.push(byte as char);
        } else {
            let _ = write!(uri, "%{byte:02x}");
        }
    }
    uri.push_str("?immutable=1");
    uri
}
