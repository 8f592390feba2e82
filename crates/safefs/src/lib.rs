//! Opens files without following symbolic links (`openat`): our own in private directories, and those of repositories.
//!
//! All of Orient's own files (indexes, locks, consents, receipts, sockets) are opened, written, renamed and removed through
//! a [`Directory`]: the descriptor of a directory that was opened component by component, belongs to this user, and is not
//! accessible to others. A symbolic link anywhere in the path is an error, and replacing the directory by a link later has
//! no effect: the descriptor still refers to the directory that was checked.
//!
//! The files of repositories and of their git directories are opened through an [`UntrustedDirectory`], and nowhere else: only
//! regular files, of bounded size, without waiting.
//!
//! This crate does not depend on the content of the files.

#[cfg(unix)]
mod directory;
#[cfg(not(unix))]
#[path = "directory_portable.rs"]
mod directory;
mod file_content;
mod opened_files;
mod regular_file;
mod resolve_links;
mod unsafe_path;
mod untrusted_directory;

pub use directory::Directory;
pub use regular_file::{open_regular, read_trusted};
pub use resolve_links::resolve_trusted_links;
pub use unsafe_path::{UnsafePath, UnsafeReason};
pub use untrusted_directory::{EntryKind, UntrustedDirectory};

use std::time::SystemTime;

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// An existing file, for reading.
    Read,
    /// A file for reading and writing; created if missing, never truncated.
    Write,
    /// A new file for reading and writing; an error if the name exists.
    Create,
    /// A file for appending; created if missing.
    Append,
}

/// The metadata of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Device and inode, which identify the file; zeros if the system does not provide them.
    pub id: (u64, u64),
    /// Whether it is a socket.
    pub is_socket: bool,
    /// Its size in bytes.
    pub bytes: u64,
    /// The mtime, if the system provides it.
    pub modified: Option<SystemTime>,
    /// The ctime, if the system provides it.
    pub changed: Option<SystemTime>,
}
