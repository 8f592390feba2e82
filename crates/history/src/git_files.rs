//! The files of a repository's git directories. They were made by others, as the repository was: each is opened as a file of an untrusted
//! directory, and read up to a limit.

use crate::error::HistoryError;
use orient_safefs::{EntryKind, UnsafePath, UntrustedDirectory};
use orient_walk::GitDirs;
use std::ffi::OsString;
use std::io;
use std::path::Path;

/// Maximum size of a file that contains one ref or a short list.
const MAX_SMALL_FILE: u64 = 1 << 20;
/// Maximum number of entries of a directory of refs or packs.
const MAX_ENTRIES: usize = 1_000_000;

/// The directories of a repository, held open.
pub(crate) struct GitFiles {
    own: UntrustedDirectory,
    common: UntrustedDirectory,
}

impl GitFiles {
    pub(crate) fn open(dirs: &GitDirs) -> Result<Self, HistoryError> {
        Ok(Self {
            own: UntrustedDirectory::open(&dirs.git_dir)?,
            common: UntrustedDirectory::open(&dirs.common_dir)?,
        })
    }

    /// The directory of this working tree.
    pub(crate) fn own(&self) -> &UntrustedDirectory {
        &self.own
    }

    /// The directory that all working trees share.
    pub(crate) fn common(&self) -> &UntrustedDirectory {
        &self.common
    }

    /// The text of a small file of this working tree, or else of the repository.
    pub(crate) fn text(&self, name: &str) -> io::Result<String> {
        // A file that is there and cannot be read says more than one that is absent.
        let stronger = |own: io::Error, common: io::Error| if is_absent(&common) { own } else { common };
        small_text(&self.own, name)
            .or_else(|own| small_text(&self.common, name).map_err(|common| stronger(own, common)))
    }

    /// The names in a directory that all working trees share, with what they are; empty if there is no such directory.
    pub(crate) fn entries(&self, directory: &str) -> Vec<(OsString, EntryKind)> {
        self.common.entries(directory, MAX_ENTRIES).unwrap_or_default()
    }
}

/// The text of a small file.
pub(crate) fn small_text(directory: &UntrustedDirectory, name: impl AsRef<Path>) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&directory.read_start(name, MAX_SMALL_FILE)?).into_owned())
}

/// A file that others may have made hostile: `None` if it does not exist, an error if it is a link, no regular file, or too large.
pub(crate) fn optional(
    directory: &UntrustedDirectory,
    name: &str,
    most: u64,
) -> Result<Option<Vec<u8>>, HistoryError> {
    match directory.read(name, most) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(refused(&directory.path().join(name), error)),
    }
}

/// Whether an error says that there is no such file.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | IsADirectory)
}

/// The error about a file of the repository that cannot be read, or is not read.
pub(crate) fn refused(path: &Path, error: io::Error) -> HistoryError {
    match error.kind() {
        io::ErrorKind::FileTooLarge => HistoryError::Refused(format!("{} is too large", path.display())),
        // The message names the path.
        _ if UnsafePath::of(&error).is_some() => HistoryError::Refused(error.to_string()),
        _ => HistoryError::Io(error),
    }
}
