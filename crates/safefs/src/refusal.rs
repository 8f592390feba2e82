//! Why a file or folder is not used although it could be opened.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A file or folder that is not ours to use. Travels inside of an [`io::Error`] of kind `PermissionDenied`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was refused.
    pub path: PathBuf,
    /// Why.
    pub why: Why,
}

/// Why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is a symbolic link.
    Link,
    /// It belongs to another user, by number.
    Owner(u32),
    /// It is not ours, and others may write to it.
    Writable,
    /// A folder was expected.
    NotAFolder,
    /// A plain file was expected.
    NotAFile,
    /// The same file has other names, so that writing to it would change those too.
    Linked,
    /// Another process replaced it while it was opened.
    Changing,
}

impl Refusal {
    pub(crate) fn error(path: &Path, why: Why) -> io::Error {
        io::Error::new(io::ErrorKind::PermissionDenied, Self { path: path.to_owned(), why })
    }

    /// The refusal inside of an error, if it is one.
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
