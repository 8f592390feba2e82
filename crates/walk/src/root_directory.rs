//! The root of a tree, held open, so that nothing outside it can be read.

use crate::fingerprint::{KnownDirectory, KnownFile};
use crate::{SkipReason, WalkError, path_conversion, stamp};
use orient_model::{RepoPath, Stamp};
use orient_safefs::{UnsafePath, UnsafeReason, UntrustedDirectory};
use std::fs::File;
use std::io;
use std::path::Path;

/// An open root. Every file is opened relative to it, component by component, without following links: a directory
/// that is replaced by a link after the listing is not entered.
#[derive(Debug)]
pub struct RootDirectory {
    directory: UntrustedDirectory,
}

impl RootDirectory {
    /// Opens the root of a tree.
    pub fn open(root: &Path) -> Result<Self, WalkError> {
        let failed = |source| WalkError::Root { path: root.to_owned(), source };
        Ok(Self { directory: UntrustedDirectory::open(root).map_err(failed)? })
    }

    /// The path of the root as given.
    pub fn root(&self) -> &Path {
        self.directory.path()
    }

    /// Opens a regular file below the root.
    pub fn open_file(&self, path: &RepoPath) -> Result<File, SkipReason> {
        let native = path_conversion::as_native(path)
            .ok_or_else(|| SkipReason::Unreadable("the path is outside the tree".to_owned()))?;
        self.directory.file(native.as_ref()).map_err(|error| refusal(&error))
    }
}

/// Why a file could not be opened.
fn refusal(error: &io::Error) -> SkipReason {
    match UnsafePath::of(error).map(|refused| refused.reason) {
        Some(UnsafeReason::Link) => SkipReason::Link,
        Some(_) => SkipReason::Special,
        // What was listed as a file is gone.
        None if error.kind() == io::ErrorKind::IsADirectory => SkipReason::Vanished,
        None => SkipReason::from_io(error),
    }
}

#[cfg(unix)]
impl RootDirectory {
    /// Whether a directory and its files have unchanged stamps. Reads no content: a link on the way can at most yield
    /// other stamps.
    pub(crate) fn is_unchanged(&self, directory: &KnownDirectory<'_>, files: &[KnownFile<'_>]) -> bool {
        use rustix::fs::{AtFlags, Mode, OFlags};
        use std::ffi::OsStr;
        use std::os::fd::AsFd;
        use std::os::unix::ffi::OsStrExt;
        let opened;
        let at = if directory.path.is_empty() {
            self.directory.as_fd()
        } else {
            #[cfg(target_os = "linux")]
            let way = OFlags::PATH;
            #[cfg(not(target_os = "linux"))]
            let way = OFlags::RDONLY;
            let flags = way | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let path = OsStr::from_bytes(directory.path);
            match rustix::fs::openat(&self.directory, path, flags, Mode::empty()) {
                Ok(fd) => opened = fd,
                Err(_) => return false,
            }
            opened.as_fd()
        };
        let same = |stat: rustix::io::Result<rustix::fs::Stat>, stamp: Stamp| {
            stamp.is_trusted() && stat.is_ok_and(|stat| stamp::of_stat(&stat) == stamp)
        };
        same(rustix::fs::fstat(at), directory.stamp)
            && files.iter().all(|file| {
                let name = OsStr::from_bytes(file.name);
                same(rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW), file.stamp)
            })
    }
}

#[cfg(unix)]
impl RootDirectory {
    /// Whether a file or directory has an unchanged stamp. Reads no content, as above.
    pub fn is_stamped(&self, path: &[u8], stamp: Stamp) -> bool {
        use rustix::fs::AtFlags;
        use std::os::unix::ffi::OsStrExt;
        let path = if path.is_empty() { b"." } else { path };
        let stat =
            rustix::fs::statat(&self.directory, std::ffi::OsStr::from_bytes(path), AtFlags::SYMLINK_NOFOLLOW);
        stamp.is_trusted() && stat.is_ok_and(|stat| stamp::of_stat(&stat) == stamp)
    }
}

#[cfg(not(unix))]
impl RootDirectory {
    /// Whether a file or directory has an unchanged stamp: unknown on this system.
    pub fn is_stamped(&self, _path: &[u8], _stamp: Stamp) -> bool {
        false
    }

    /// Whether a directory and its files have unchanged stamps: unknown on this system.
    pub(crate) fn is_unchanged(&self, _directory: &KnownDirectory<'_>, _files: &[KnownFile<'_>]) -> bool {
        false
    }
}
