//! A private directory, held by its descriptor.

use crate::unsafe_path::{UnsafePath, UnsafeReason};
use crate::{Access, Entry};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawMode, Stat, fchmod, fstat, openat, statat};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, SystemTime};

/// Intermediate directories are only traversed, which needs no read permission.
#[cfg(target_os = "linux")]
const PASS: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const PASS: OFlags = OFlags::RDONLY;

const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// `NONBLOCK`, so that opening a pipe does not block.
const FILE: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

const OWN_DIRECTORY: RawMode = 0o700;
const OWN_FILE: RawMode = 0o600;
/// Subject to the umask.
const PUBLIC_DIRECTORY: RawMode = 0o777;
/// The permission bits of group and others.
const OTHERS: RawMode = 0o077;

/// Open descriptors by device and inode. `SQLite` shares state between all connections of a process to one file and keeps
/// the path it was first opened by. That path contains a descriptor, so all connections must share the descriptor: the
/// path would otherwise refer to another directory once the first connection is closed.
static OPEN: Mutex<BTreeMap<(u64, u64), Weak<Descriptor>>> = Mutex::new(BTreeMap::new());

/// A directory that belongs to this user, is not accessible to others, and was opened without following a link.
#[derive(Clone, Debug)]
pub struct Directory {
    held: Arc<Descriptor>,
    path: PathBuf,
}

#[derive(Debug)]
struct Descriptor {
    fd: OwnedFd,
    id: (u64, u64),
    /// Whether the system has paths through descriptors; determined on first use.
    has_name: OnceLock<bool>,
}

impl Directory {
    /// Opens a private directory. Removes the permissions of others if there are any.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::open_path(path, None, true)
    }

    /// The same; creates missing directories.
    pub fn create(path: &Path) -> io::Result<Self> {
        Self::open_path(path, Some(OWN_DIRECTORY), true)
    }

    /// Opens a directory that the user named and others may share, such as `/tmp`; creates missing directories. Only private
    /// directories below it are safe to write to.
    pub fn shared(path: &Path) -> io::Result<Self> {
        Self::open_path(path, Some(OWN_DIRECTORY), false)
    }

    /// The same without creating anything.
    pub fn existing(path: &Path) -> io::Result<Self> {
        Self::open_path(path, None, false)
    }

    /// Opens a world-readable directory; creates missing directories with default permissions.
    pub fn public(path: &Path) -> io::Result<Self> {
        Self::open_path(path, Some(PUBLIC_DIRECTORY), false)
    }

    fn open_path(path: &Path, make: Option<RawMode>, own: bool) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        let mut at = rustix::fs::open("/", PASS | DIRECTORY, Mode::empty())?;
        let mut so_far = PathBuf::from("/");
        let mut parts = path.components().filter(|part| !matches!(part, Component::RootDir)).peekable();
        while let Some(part) = parts.next() {
            let last = parts.peek().is_none();
            so_far.push(part);
            let flags = DIRECTORY | if last { OFlags::RDONLY } else { PASS };
            let name = part.as_os_str();
            let opened = match openat(&at, name, flags, Mode::empty()) {
                Err(Errno::NOENT) if let Some(mode) = make => {
                    match rustix::fs::mkdirat(&at, name, Mode::from_raw_mode(mode)) {
                        Ok(()) | Err(Errno::EXIST) => {}
                        Err(errno) => return Err(errno.into()),
                    }
                    openat(&at, name, flags, Mode::empty())
                }
                opened => opened,
            };
            at = opened.map_err(|errno| refused(errno, &at, name.as_ref(), &so_far))?;
        }
        let stat = fstat(&at)?;
        if own {
            check_directory(&at, &stat, &path)?;
        }
        Ok(Self { held: shared_descriptor(at, identity(&stat)), path })
    }

    /// Removes the permissions of others from a shared directory if it belongs to this user and `ours` accepts every name in
    /// it. A directory with other content stays as the user created it.
    pub fn make_private(&self, ours: impl Fn(&str) -> bool) -> io::Result<()> {
        let stat = fstat(&self.held.fd)?;
        let open = stat.st_uid == euid() && mode(&stat) & OTHERS != 0;
        if open && self.names()?.iter().all(|name| name.to_str().is_some_and(&ours)) {
            check_directory(&self.held.fd, &stat, &self.path)?;
        }
        Ok(())
    }

    /// The path, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the path still refers to this directory.
    pub fn is_in_place(&self) -> bool {
        Self::open(&self.path).is_ok_and(|directory| directory.held.id == self.held.id)
    }

    /// A path to a file through the descriptor of this directory, for interfaces that only take paths. `None` if the system
    /// has no such paths. Valid while this value exists.
    pub fn descriptor_path(&self, file: &str) -> Option<PathBuf> {
        let directory = PathBuf::from(format!("/proc/self/fd/{}", self.held.fd.as_raw_fd()));
        let works = || {
            let stat = rustix::fs::stat(directory.join("."));
            cfg!(target_os = "linux") && stat.is_ok_and(|stat| identity(&stat) == self.held.id)
        };
        self.held.has_name.get_or_init(works).then(|| directory.join(file))
    }

    /// Opens a file, which must be a regular file of this user. Removes the permissions of others.
    pub fn file(&self, name: &str, access: Access) -> io::Result<File> {
        let flags = FILE
            | match access {
                Access::Read => OFlags::RDONLY,
                Access::Write => OFlags::RDWR | OFlags::CREATE,
                Access::Create => OFlags::RDWR | OFlags::CREATE | OFlags::EXCL,
                Access::Append => OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND,
            };
        let path = self.path.join(name);
        let fd = openat(&self.held.fd, name, flags, Mode::from_raw_mode(OWN_FILE))
            .map_err(|errno| refused(errno, &self.held.fd, name.as_ref(), &path))?;
        let stat = fstat(&fd)?;
        check_file(&stat, &path)?;
        let wanted = if access == Access::Create { OWN_FILE } else { mode(&stat) & !OTHERS };
        // The mode of a file with other hard links affects those too.
        if stat.st_uid == euid() && stat.st_nlink <= 1 && mode(&stat) != wanted {
            fchmod(&fd, Mode::from_raw_mode(wanted))?;
        }
        Ok(fd.into())
    }

    /// Whether a file has no other hard link.
    pub fn is_sole_name(file: &File) -> bool {
        fstat(file).is_ok_and(|stat| stat.st_nlink <= 1)
    }

    /// Checks a file that will be opened by [`Directory::descriptor_path`]: it must be a regular file of this user without other hard
    /// links. Removes the permissions of others. `None` if it does not exist.
    ///
    /// Does not open the file: closing it would release all POSIX locks of this process on it.
    pub fn checked(&self, name: &str) -> io::Result<Option<Entry>> {
        let path = self.path.join(name);
        let stat = match statat(&self.held.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(errno.into()),
        };
        if FileType::from_raw_mode(stat.st_mode).is_symlink() {
            return Err(UnsafePath::error(&path, UnsafeReason::Link));
        }
        check_file(&stat, &path)?;
        if stat.st_nlink > 1 {
            return Err(UnsafePath::error(&path, UnsafeReason::Linked));
        }
        if stat.st_uid == euid() && mode(&stat) & OTHERS != 0 {
            self.tighten(name)?;
        }
        Ok(Some(entry(&stat)))
    }

    #[cfg(target_os = "linux")]
    fn tighten(&self, name: &str) -> io::Result<()> {
        // Closing an `O_PATH` descriptor releases no locks, and it cannot refer to the target of a link.
        let file =
            openat(&self.held.fd, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
        let stat = fstat(&file)?;
        check_file(&stat, &self.path.join(name))?;
        let by_descriptor = format!("/proc/self/fd/{}", file.as_raw_fd());
        Ok(rustix::fs::chmod(by_descriptor, Mode::from_raw_mode(mode(&stat) & !OTHERS))?)
    }

    #[cfg(not(target_os = "linux"))]
    fn tighten(&self, name: &str) -> io::Result<()> {
        let mode = Mode::from_raw_mode(OWN_FILE);
        Ok(rustix::fs::chmodat(&self.held.fd, name, mode, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// The metadata of an entry, without following a link. `None` if it does not exist.
    pub fn entry(&self, name: &str) -> Option<Entry> {
        statat(&self.held.fd, name, AtFlags::SYMLINK_NOFOLLOW).ok().map(|stat| entry(&stat))
    }

    /// Renames a file within this directory.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.held.fd, from, &self.held.fd, to)?)
    }

    /// Removes a file or a link.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.held.fd, name, AtFlags::empty())?)
    }

    /// The names in this directory, sorted.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.held.fd)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(std::os::unix::ffi::OsStringExt::from_vec(name.to_vec()));
            }
        }
        names.sort();
        Ok(names)
    }

    /// Flushes the directory to disk (`fsync`).
    pub fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.held.fd)?)
    }

    /// The free disk space for this user, in bytes.
    pub fn free_space(&self) -> Option<u64> {
        let disk = rustix::fs::fstatvfs(&self.held.fd).ok()?;
        disk.f_bavail.checked_mul(disk.f_frsize)
    }
}

fn shared_descriptor(fd: OwnedFd, id: (u64, u64)) -> Arc<Descriptor> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = open.get(&id).and_then(Weak::upgrade) {
        return known;
    }
    open.retain(|_, held| held.strong_count() > 0);
    let held = Arc::new(Descriptor { fd, id, has_name: OnceLock::new() });
    open.insert(id, Arc::downgrade(&held));
    held
}

/// Checks that a directory belongs to this user or to root, and removes the permissions of others.
fn check_directory(fd: impl AsFd, stat: &Stat, path: &Path) -> io::Result<()> {
    check_owner(stat, path)?;
    if stat.st_uid == euid() && mode(stat) & OTHERS != 0 {
        fchmod(fd, Mode::from_raw_mode(mode(stat) & !OTHERS))?;
    }
    Ok(())
}

fn check_file(stat: &Stat, path: &Path) -> io::Result<()> {
    if !FileType::from_raw_mode(stat.st_mode).is_file() {
        return Err(UnsafePath::error(path, UnsafeReason::NotAFile));
    }
    check_owner(stat, path)
}

fn check_owner(stat: &Stat, path: &Path) -> io::Result<()> {
    if stat.st_uid == euid() {
        return Ok(());
    }
    if stat.st_uid != 0 {
        return Err(UnsafePath::error(path, UnsafeReason::Owner(stat.st_uid)));
    }
    if mode(stat) & 0o022 != 0 {
        return Err(UnsafePath::error(path, UnsafeReason::Writable));
    }
    Ok(())
}

/// Translates a failed open. Systems report a symbolic link with different error numbers.
fn refused(errno: Errno, directory: impl AsFd, name: &Path, path: &Path) -> io::Error {
    let stat = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW);
    let kind = stat.map(|stat| FileType::from_raw_mode(stat.st_mode));
    match (errno, kind) {
        (Errno::LOOP | Errno::NOTDIR | Errno::MLINK, Ok(FileType::Symlink)) => {
            UnsafePath::error(path, UnsafeReason::Link)
        }
        // It was replaced since the open.
        (Errno::LOOP | Errno::NOTDIR, Ok(FileType::Directory)) => {
            UnsafePath::error(path, UnsafeReason::Changing)
        }
        (Errno::NOTDIR, Ok(_)) => UnsafePath::error(path, UnsafeReason::NotADirectory),
        (Errno::ISDIR | Errno::NXIO | Errno::NODEV, _) => UnsafePath::error(path, UnsafeReason::NotAFile),
        _ => errno.into(),
    }
}

fn euid() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn mode(stat: &Stat) -> RawMode {
    stat.st_mode & 0o7777
}

#[cfg_attr(
    target_os = "linux",
    expect(clippy::unnecessary_cast, reason = "its width differs between systems")
)]
fn identity(stat: &Stat) -> (u64, u64) {
    (stat.st_dev as u64, stat.st_ino as u64)
}

fn entry(stat: &Stat) -> Entry {
    Entry {
        id: identity(stat),
        is_socket: FileType::from_raw_mode(stat.st_mode).is_socket(),
        bytes: u64::try_from(stat.st_size).unwrap_or_default(),
        modified: time(stat.st_mtime, stat.st_mtime_nsec),
        changed: time(stat.st_ctime, stat.st_ctime_nsec),
    }
}

/// The types of both numbers differ between systems.
fn time(seconds: impl TryInto<u64>, nanoseconds: impl TryInto<u32>) -> Option<SystemTime> {
    let since = Duration::new(seconds.try_into().ok()?, nanoseconds.try_into().unwrap_or_default());
    SystemTime::UNIX_EPOCH.checked_add(since)
}
