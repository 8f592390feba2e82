//! The root of a tree, held open, so that nothing outside it can be read.

use crate::fingerprint::{KnownDirectory, KnownFile};
use crate::{SkipReason, WalkError, path_conversion, stamp};
use orient_model::{RepoPath, Stamp};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// An open root. Every file is opened relative to it, component by component, without following links: a directory
/// that is replaced by a link after the listing is not entered.
#[derive(Debug)]
pub struct RootDirectory {
    root: PathBuf,
    #[cfg(unix)]
    directory: std::os::fd::OwnedFd,
}

impl RootDirectory {
    /// The path of the root as given.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Opens a file below the root.
    pub fn open_file(&self, path: &RepoPath) -> Result<File, SkipReason> {
        let native = path_conversion::as_native(path)
            .ok_or_else(|| SkipReason::Unreadable("the path is outside the tree".to_owned()))?;
        self.open_beneath(native.as_ref())
    }
}

#[cfg(unix)]
impl RootDirectory {
    /// Opens the root of a tree.
    pub fn open(root: &Path) -> Result<Self, WalkError> {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = rustix::fs::open(root, flags, Mode::empty())
            .map_err(|errno| WalkError::Root { path: root.to_owned(), source: errno.into() })?;
        Ok(Self { root: root.to_owned(), directory })
    }

    /// Opens a file with one system call that refuses links (`openat2`), if the kernel has it.
    #[cfg(target_os = "linux")]
    fn open_at_once(&self, native: &Path) -> Option<Result<File, SkipReason>> {
        use rustix::fs::{Mode, OFlags, ResolveFlags};
        use rustix::io::Errno;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match rustix::fs::openat2(&self.directory, native, flags, Mode::empty(), resolve) {
            Ok(file) => Some(Ok(File::from(file))),
            // An older kernel, or a sandbox that does not allow the call.
            Err(Errno::NOSYS | Errno::PERM) => None,
            Err(errno) => Some(Err(refusal(errno, false))),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_at_once(&self, _native: &Path) -> Option<Result<File, SkipReason>> {
        None
    }

    fn open_beneath(&self, native: &Path) -> Result<File, SkipReason> {
        use rustix::fs::{Mode, OFlags};
        use std::os::fd::{AsFd, OwnedFd};
        if let Some(opened) = self.open_at_once(native) {
            return opened;
        }
        let within = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // Opening a pipe that replaced the file must not block.
        let file = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let mut at: Option<OwnedFd> = None;
        let mut parts = native.iter().peekable();
        while let Some(part) = parts.next() {
            let flags = if parts.peek().is_some() { within } else { file };
            let directory = at.as_ref().map_or_else(|| self.directory.as_fd(), AsFd::as_fd);
            let opened = rustix::fs::openat(directory, part, flags, Mode::empty())
                .map_err(|errno| refusal(errno, parts.peek().is_some()))?;
            at = Some(opened);
        }
        at.map(File::from).ok_or(SkipReason::Vanished)
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

/// Translates a failed open. Systems report a link on the way with different error numbers.
#[cfg(unix)]
fn refusal(errno: rustix::io::Errno, directory: bool) -> SkipReason {
    use rustix::io::Errno;
    match errno {
        Errno::LOOP | Errno::MLINK => SkipReason::Link,
        Errno::NOTDIR if directory => SkipReason::Vanished,
        Errno::NXIO | Errno::NODEV => SkipReason::Special,
        other => SkipReason::from_io(&io::Error::from(other)),
    }
}

#[cfg(not(unix))]
impl RootDirectory {
    /// Opens the root of a tree.
    pub fn open(root: &Path) -> Result<Self, WalkError> {
        let failed = |source| WalkError::Root { path: root.to_owned(), source };
        let root = root.canonicalize().map_err(failed)?;
        if root.is_dir() { Ok(Self { root }) } else { Err(failed(io::ErrorKind::NotADirectory.into())) }
    }

    fn open_beneath(&self, native: &Path) -> Result<File, SkipReason> {
        let full = self.root.join(native);
        let kind = std::fs::symlink_metadata(&full).map_err(|error| SkipReason::from_io(&error))?.file_type();
        let real = full.canonicalize().map_err(|error| SkipReason::from_io(&error))?;
        if kind.is_symlink() || !real.starts_with(&self.root) {
            return Err(SkipReason::Link);
        }
        if !kind.is_file() {
            return Err(SkipReason::Special);
        }
        File::open(real).map_err(|error| SkipReason::from_io(&error))
    }
}
