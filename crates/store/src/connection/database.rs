//! Databases opened through the descriptor of their folder.
//!
//! SQLite opens files by name, and opens more of them later: the log and the shared memory beside a database. A folder that
//! is swapped for a link between two of these steps would have it write somewhere else. On Linux, a name such as
//! `/proc/self/fd/7/index.db` leads through a descriptor that was checked and cannot come to mean another folder. SQLite
//! would resolve that name to the one behind it first; `vfs.rs` leaves that step out. It never follows a link in the last
//! part of a name (`O_NOFOLLOW`).
//!
//! Where the system has no such names, the database is opened by its path, no link in it is followed
//! (`SQLITE_OPEN_NOFOLLOW`), and the folder is compared with the one that was checked afterwards.

use crate::connection::vfs;
use orient_safefs::Folder;
use rusqlite::ffi;
use rusqlite::{Connection, OpenFlags};
use std::ops::{Deref, DerefMut};
use std::path::Path;

/// A connection, and the folder its names lead through. Fields are dropped in this order.
pub(crate) struct Db {
    connection: Connection,
    folder: Option<Folder>,
}

impl Db {
    /// A connection to a database in memory.
    pub(crate) fn in_memory() -> rusqlite::Result<Self> {
        Ok(Self { connection: Connection::open_in_memory()?, folder: None })
    }

    /// Opens a file of a folder. What stands there, and beside it, is to be checked before.
    pub(crate) fn open(folder: &Folder, file: &str, flags: OpenFlags) -> rusqlite::Result<Self> {
        Self::open_as(folder, file, flags, |path| path.as_os_str().to_owned())
    }

    /// The same for a file that nobody can change: no file is made or read beside it.
    pub(crate) fn open_immutable(folder: &Folder, file: &str, flags: OpenFlags) -> rusqlite::Result<Self> {
        Self::open_as(folder, file, flags | OpenFlags::SQLITE_OPEN_URI, |path| immutable_uri(path).into())
    }

    fn open_as(
        folder: &Folder,
        file: &str,
        flags: OpenFlags,
        named: impl FnOnce(&Path) -> std::ffi::OsString,
    ) -> rusqlite::Result<Self> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = if let (Some(name), Some(vfs)) = (folder.name_of(file), vfs::through_descriptors()) {
            Connection::open_with_flags_and_vfs(named(&name), flags, vfs)?
        } else {
            let flags = flags | OpenFlags::SQLITE_OPEN_NOFOLLOW;
            let connection = Connection::open_with_flags(named(&folder.path().join(file)), flags)?;
            if !folder.is_in_place() {
                return Err(cannot_open("its folder was replaced while it was opened"));
            }
            connection
        };
        Ok(Self { connection, folder: Some(folder.clone()) })
    }

    /// The name by which SQLite reaches another file of a folder, for `VACUUM INTO`.
    pub(crate) fn name_for_sqlite(folder: &Folder, file: &str) -> Option<String> {
        let name = folder.name_of(file).filter(|_| vfs::through_descriptors().is_some());
        name.unwrap_or_else(|| folder.path().join(file)).into_os_string().into_string().ok()
    }

    /// Closes it, and says what goes wrong with that.
    pub(crate) fn close(self) -> rusqlite::Result<()> {
        let Self { connection, folder } = self;
        let closed = connection.close().map_err(|(_, error)| error);
        drop(folder);
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

/// The name under which a file that nobody can change is opened without any other file beside it.
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
