//! A directory whose content others wrote, such as a repository: the only way to open a file of it.

use crate::UnsafePath;
use crate::opened_files;
use crate::unsafe_path::UnsafeReason;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A directory of a repository, or one of its git directories, held open. What is below it is reached without following a link.
///
/// An opened file is a regular one. Opening never waits: a pipe is refused, not read. Reading is bounded: a file that is larger than
/// its reader expects is an error, not an allocation.
#[derive(Debug)]
pub struct UntrustedDirectory {
    path: PathBuf,
    #[cfg(unix)]
    directory: std::os::fd::OwnedFd,
}

/// What a directory contains under a name; a link is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A pipe, socket or device.
    Special,
}

impl UntrustedDirectory {
    /// The path as given, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a regular file below the directory.
    pub fn file(&self, inside: &Path) -> io::Result<File> {
        let file = self.open_below(inside)?;
        let metadata = file.metadata()?;
        if metadata.is_file() {
            opened_files::record(&self.path.join(inside));
            return Ok(file);
        }
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Err(UnsafePath::error(&self.path.join(inside), UnsafeReason::NotAFile))
    }

    /// Checks a file that another library will open by its path: an error unless it is a regular file, reached without a link.
    pub fn check(&self, inside: impl AsRef<Path>) -> io::Result<()> {
        let path = self.path.join(inside.as_ref());
        let reason = match self.kind(inside) {
            Some(EntryKind::File) => {
                opened_files::record(&path);
                return Ok(());
            }
            None => return Err(io::ErrorKind::NotFound.into()),
            Some(EntryKind::Link) => UnsafeReason::Link,
            Some(_) => UnsafeReason::NotAFile,
        };
        Err(UnsafePath::error(&path, reason))
    }

    /// Reads a whole file of at most `most` bytes. A larger one is an error of the kind `FileTooLarge`.
    pub fn read(&self, inside: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file(inside.as_ref())?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
    }

    /// Reads the first bytes of a file, at most `most`.
    pub fn read_start(&self, inside: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file(inside.as_ref())?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// What a path below the directory is. Nothing is opened.
    pub fn kind(&self, inside: impl AsRef<Path>) -> Option<EntryKind> {
        self.metadata_kind(inside.as_ref())
    }

    /// The entries of a directory below this one, sorted by name; at most `most`, since a directory may have any number.
    pub fn entries(&self, inside: impl AsRef<Path>, most: usize) -> io::Result<Vec<(OsString, EntryKind)>> {
        let mut entries = self.unsorted_entries(inside.as_ref(), most)?;
        entries.sort();
        Ok(entries)
    }
}

#[cfg(unix)]
impl UntrustedDirectory {
    /// Opens a directory that the caller named, whose path may contain links.
    pub fn open(path: &Path) -> io::Result<Self> {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = rustix::fs::open(path, flags, Mode::empty())?;
        Ok(Self { path: path.to_owned(), directory })
    }

    /// Opens something with one system call that refuses links (`openat2`), if the kernel has it.
    #[cfg(target_os = "linux")]
    fn open_at_once(
        &self,
        inside: &Path,
        flags: rustix::fs::OFlags,
    ) -> Option<rustix::io::Result<std::os::fd::OwnedFd>> {
        use rustix::fs::{Mode, ResolveFlags};
        use rustix::io::Errno;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match rustix::fs::openat2(&self.directory, inside, flags, Mode::empty(), resolve) {
            // An older kernel, or a sandbox that does not allow the call; or a rename elsewhere made the kernel unsure, which the slow way
            // does not mind.
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => None,
            opened => Some(opened),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_at_once(
        &self,
        _inside: &Path,
        _flags: rustix::fs::OFlags,
    ) -> Option<rustix::io::Result<std::os::fd::OwnedFd>> {
        None
    }

    fn descriptor(&self, inside: &Path, flags: rustix::fs::OFlags) -> io::Result<std::os::fd::OwnedFd> {
        use rustix::fs::{Mode, OFlags};
        use rustix::io::Errno;
        use std::os::fd::{AsFd, OwnedFd};
        // Opening a pipe must not block.
        let flags =
            flags | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let refused = |errno: Errno| match errno {
            // Systems report a link on the way with different error numbers.
            Errno::LOOP | Errno::MLINK => UnsafePath::error(&self.path.join(inside), UnsafeReason::Link),
            Errno::NXIO | Errno::NODEV => UnsafePath::error(&self.path.join(inside), UnsafeReason::NotAFile),
            errno => errno.into(),
        };
        if let Some(opened) = self.open_at_once(inside, flags) {
            return opened.map_err(refused);
        }
        let within = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut at: Option<OwnedFd> = None;
        let mut parts = inside.iter().peekable();
        while let Some(part) = parts.next() {
            if part == ".." {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            let flags = if parts.peek().is_some() { within } else { flags };
            let directory = at.as_ref().map_or_else(|| self.directory.as_fd(), AsFd::as_fd);
            at = Some(rustix::fs::openat(directory, part, flags, Mode::empty()).map_err(refused)?);
        }
        at.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn open_below(&self, inside: &Path) -> io::Result<File> {
        self.descriptor(inside, rustix::fs::OFlags::empty()).map(File::from)
    }

    fn metadata_kind(&self, inside: &Path) -> Option<EntryKind> {
        use rustix::fs::{AtFlags, FileType, OFlags};
        let name = inside.file_name()?;
        let parent = inside.parent().filter(|parent| !parent.as_os_str().is_empty());
        let within = parent.map(|parent| self.descriptor(parent, OFlags::DIRECTORY)).transpose().ok()?;
        let at = within.as_ref().unwrap_or(&self.directory);
        let stat = rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(kind_of(FileType::from_raw_mode(stat.st_mode)))
    }

    fn unsorted_entries(&self, inside: &Path, most: usize) -> io::Result<Vec<(OsString, EntryKind)>> {
        use rustix::fs::{AtFlags, FileType, OFlags};
        use std::os::unix::ffi::OsStrExt;
        let inside = if inside.as_os_str().is_empty() { Path::new(".") } else { inside };
        let directory = self.descriptor(inside, OFlags::DIRECTORY)?;
        let mut entries = Vec::new();
        for entry in rustix::fs::Dir::read_from(&directory)? {
            let entry = entry?;
            let name = std::ffi::OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            if entries.len() == most {
                break;
            }
            let kind = match entry.file_type() {
                // Some file systems do not say.
                FileType::Unknown => match rustix::fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                    Err(_) => continue,
                },
                kind => kind,
            };
            entries.push((name.to_owned(), kind_of(kind)));
        }
        Ok(entries)
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for UntrustedDirectory {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.directory.as_fd()
    }
}

#[cfg(unix)]
fn kind_of(kind: rustix::fs::FileType) -> EntryKind {
    match kind {
        rustix::fs::FileType::RegularFile => EntryKind::File,
        rustix::fs::FileType::Directory => EntryKind::Directory,
        rustix::fs::FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Special,
    }
}

#[cfg(not(unix))]
impl UntrustedDirectory {
    /// Opens a directory that the caller named, whose path may contain links.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        if path.is_dir() { Ok(Self { path }) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }

    /// The path of something below that is neither a link nor behind one.
    fn plain_path(&self, inside: &Path) -> io::Result<PathBuf> {
        let mut at = self.path.clone();
        for part in inside.components() {
            match part {
                std::path::Component::Normal(name) => at.push(name),
                std::path::Component::CurDir => continue,
                _ => return Err(io::ErrorKind::InvalidInput.into()),
            }
            if at.symlink_metadata()?.is_symlink() {
                return Err(UnsafePath::error(&at, UnsafeReason::Link));
            }
        }
        Ok(at)
    }

    fn open_below(&self, inside: &Path) -> io::Result<File> {
        let path = self.plain_path(inside)?;
        if path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        File::open(path)
    }

    fn metadata_kind(&self, inside: &Path) -> Option<EntryKind> {
        let parent = self.plain_path(inside.parent()?).ok()?;
        Some(kind_of(parent.join(inside.file_name()?).symlink_metadata().ok()?.file_type()))
    }

    fn unsorted_entries(&self, inside: &Path, most: usize) -> io::Result<Vec<(OsString, EntryKind)>> {
        let entries = std::fs::read_dir(self.plain_path(inside)?)?.flatten().take(most);
        Ok(entries.filter_map(|entry| Some((entry.file_name(), kind_of(entry.file_type().ok()?)))).collect())
    }
}

#[cfg(not(unix))]
fn kind_of(kind: std::fs::FileType) -> EntryKind {
    if kind.is_symlink() {
        EntryKind::Link
    } else if kind.is_dir() {
        EntryKind::Directory
    } else if kind.is_file() {
        EntryKind::File
    } else {
        EntryKind::Special
    }
}
