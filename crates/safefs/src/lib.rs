//! Files that only the user may read, in folders reached without following a symbolic link.
//!
//! Everything Orient keeps for itself (indexes, locks, consents, receipts, sockets) is opened, written, renamed and removed
//! through a [`Folder`]: a descriptor of a directory that was reached component by component, belongs to this user, and is
//! closed to others. A link planted anywhere on the way is an error, and a folder that is swapped for a link afterwards
//! makes no difference: the descriptor keeps meaning the folder that was checked.
//!
//! This crate knows nothing of what the files hold.

#[cfg(unix)]
mod folder;
#[cfg(not(unix))]
#[path = "portable.rs"]
mod folder;
mod plain;
mod refusal;
mod settled;

pub use folder::Folder;
pub use plain::open_plain;
pub use refusal::{Refusal, Why};
pub use settled::settled;

use std::time::SystemTime;

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// An existing file, for reading.
    Read,
    /// A file for reading and writing; created empty where there is none, never truncated.
    Write,
    /// A new file for reading and writing; an error where something has that name.
    Create,
    /// A file that is only written, each time at its end; created empty where there is none.
    Append,
}

/// What a name in a folder stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Tells the file apart from every other one on this machine; zeros where the system does not say.
    pub id: (u64, u64),
    /// Whether it is a socket.
    pub is_socket: bool,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was last written, where the system says.
    pub modified: Option<SystemTime>,
    /// When its content, mode, owner or names last changed, where the system says.
    pub changed: Option<SystemTime>,
}
