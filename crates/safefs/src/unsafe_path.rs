//! Why a file or directory is rejected although it could be opened.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A file or directory that is not safe to use. Wrapped in an [`io::Error`] of kind `PermissionDenied`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsafePath {
    /// The path.
    pub path: PathBuf,
    /// The reason.
    pub reason: UnsafeReason,
}

/// The reason of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsafeReason {
    /// It is a symbolic link.
    Link,
    /// It belongs to the user with this id.
    Owner(u32),
    /// It is not ours, and others may write to it.
    Writable,
    /// It is not a directory.
    NotADirectory,
    /// It is not a regular file.
    NotAFile,
    /// It has other hard links, which writing would change too.
    Linked,
    /// Another process replaced it while it was opened.
    Changing,
}

impl UnsafePath {
    pub(crate) fn error(path: &Path, reason: UnsafeReason) -> io::Error {
        io::Error::new(io::ErrorKind::PermissionDenied, Self { path: path.to_owned(), reason })
    }

    /// The refusal in an error, if there is one.
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl std::error::Error for UnsafePath {}

impl fmt::Display for UnsafePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.reason {
            UnsafeReason::Link => {
                write!(f, "{path} is a symbolic link, and links are not followed here: remove it")
            }
            UnsafeReason::Owner(user) => write!(f, "{path} belongs to another user (uid {user})"),
            UnsafeReason::Writable => write!(f, "{path} can be changed by other users"),
            UnsafeReason::NotADirectory => write!(f, "{path} is not a directory: remove it"),
            UnsafeReason::NotAFile => write!(f, "{path} is not a regular file: remove it"),
            UnsafeReason::Linked => write!(f, "{path} has other hard links: remove it"),
            UnsafeReason::Changing => write!(f, "{path} was replaced while it was opened: try again"),
        }
    }
}
