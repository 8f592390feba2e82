//! Why a file or directory is rejected although it could be opened.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A file or directory that is not safe to use. Wrapped in an [`io::Error`] of kind `PermissionDenied`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The path.
    pub path: PathBuf,
    /// The reason.
    pub why: Why,
}

/// The reason of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is a symbolic link.
    Link,
    /// It belongs to the user with this id.
    Owner(u32),
    /// It is not ours, and others may write to it.
    Writable,
    /// It is not a directory.
    NotAFolder,
    /// It is not a regular file.
    NotAFile,
    /// It has other hard links, which writing would change too.
    Linked,
    /// Another process replaced it while it was opened.
    Changing,
}

impl Refusal {
    pub(crate) fn error(path: &Path, why: Why) -> io::Error {
        io::Error::new(io::ErrorKind::PermissionDenied, Self { path: path.to_owned(), why })
    }

    /// The refusal in an error, if there is one.
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl std::error::Error for Refusal {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.why {
            Why::Link => write!(f, "{path} is a symbolic link, and links are not followed here: remove it"),
            Why::Owner(user) => write!(f, "{path} belongs to another user (number {user})"),
            Why::Writable => write!(f, "{path} can be changed by other users"),
            Why::NotAFolder => write!(f, "{path} is not a folder: remove it"),
            Why::NotAFile => write!(f, "{path} is not a plain file: remove it"),
            Why::Linked => write!(f, "{path} has other names (hard links): remove it"),
            Why::Changing => write!(f, "{path} was replaced while it was opened: try again"),
        }
    }
}
