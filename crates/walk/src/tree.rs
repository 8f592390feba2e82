//! The folder that is read from, held open so that what is read lies beneath it.

use crate::{SkipReason, WalkError, path};
use orient_model::RepoPath;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// An open root. Every file is reached from it part by part, without following a link: a folder that is swapped
/// for a link after it was listed leads nowhere.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    #[cfg(unix)]
    folder: std::os::fd::OwnedFd,
}

impl Tree {
    /// The root as it was given.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Opens a file beneath the root.
    pub fn open_file(&self, path: &RepoPath) -> Result<File, SkipReason> {
        let native = path::to_native(path)
            .ok_or_else(|| SkipReason::Unreadable("the path does not lie in the tree".to_owned()))?;
        self.open_beneath(&native)
    }
}

#[cfg(unix)]
impl Tree {
    /// Opens the root of a tree.
    pub fn open(root: &Path) -> Result<Self, WalkError> {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(root, flags, Mode::empty())
            .map_err(|errno| WalkError::Root { path: root.to_owned(), source: errno.into() })?;
        Ok(Self { root: root.to_owned(), folder })
    }

    /// Lets the kernel walk the path, where it can be told not to follow links on the way.
    #[cfg(target_os = "linux")]
    fn open_at_once(&self, native: &Path) -> Option<Result<File, SkipReason>> {
        use rustix::fs::{Mode, OFlags, ResolveFlags};
        use rustix::io::Errno;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match rustix::fs::openat2(&self.folder, native, flags, Mode::empty(), resolve) {
            Ok(file) => Some(Ok(File::from(file))),
            // An older kernel, or a sandbox that knows of an older one.
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
        // A pipe put in the file's place must not make us wait for its writer.
        let file = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let mut at: Option<OwnedFd> = None;
        let mut parts = native.iter().peekable();
        while let Some(part) = parts.next() {
            let flags = if parts.peek().is_some() { within } else { file };
            let folder = at.as_ref().map_or_else(|| self.folder.as_fd(), AsFd::as_fd);
            let opened = rustix::fs::openat(folder, part, flags, Mode::empty())
                .map_err(|errno| refusal(errno, parts.peek().is_some()))?;
            at = Some(opened);
        }
        at.map(File::from).ok_or(SkipReason::Vanished)
    }
}

/// What a refused open means. A link in the way is said differently by each system and for each kind of open.
#[cfg(unix)]
fn refusal(errno: rustix::io::Errno, folder: bool) -> SkipReason {
    use rustix::io::Errno;
    match errno {
        Errno::LOOP | Errno::MLINK => SkipReason::Link,
        Errno::NOTDIR if folder => SkipReason::Vanished,
        Errno::NXIO | Errno::NODEV => SkipReason::Special,
        other => SkipReason::from_io(&io::Error::from(other)),
    }
}

#[cfg(not(unix))]
impl Tree {
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
