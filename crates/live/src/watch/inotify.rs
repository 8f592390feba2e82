//! inotify: the kernel's queue of change notifications. Reading it to its end reveals every earlier change.

use crate::dirty_paths::ChangeKind;
use crate::watch_limits::Unwatchable;
use orient_engine::{Subtrees, is_rule_file, to_native};
use orient_model::RepoPath;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Magic numbers (`statfs`) of file systems whose changes all pass through this kernel. Others count as remote: a missing
/// notification would mean a wrong answer, a needless full scan is only slower.
const LOCAL_FILE_SYSTEMS: [u64; 21] = [
    0xef53,      // ext2, ext3, ext4
    0x5846_5342, // xfs
    0x9123_683e, // btrfs
    0x0102_1994, // tmpfs
    0x8584_58f6, // ramfs
    0x794c_7630, // overlayfs
    0x2fc1_2fc1, // zfs
    0xf2f5_2010, // f2fs
    0xca45_1a4e, // bcachefs
    0x5265_4973, // reiserfs
    0x3153_464a, // jfs
    0x3434,      // nilfs
    0xf15f,      // ecryptfs
    0x4d44,      // vfat
    0x2011_bab0, // exfat
    0x7366_746e, // ntfs3
    0x482b,      // hfsplus
    0x7371_7368, // squashfs
    0xe0f5_e1e2, // erofs
    0x9660,      // iso9660
    0x2405_1905, // ubifs
];

/// Bytes read from the queue at once.
const BUFFER_SIZE: usize = 64 << 10;

/// A change notification.
pub(crate) enum WatchEvent {
    /// Something changed at a path.
    Change(RepoPath, ChangeKind),
    /// Notifications were lost.
    Overflow,
}

/// The watched directories of a tree.
pub(crate) struct WatchSet {
    queue: Arc<OwnedFd>,
    root: PathBuf,
    /// The paths of each watch; several if a directory is mounted more than once.
    paths: BTreeMap<i32, Vec<RepoPath>>,
    watched: BTreeMap<RepoPath, i32>,
}

impl WatchSet {
    /// Opens a queue without watches.
    pub(crate) fn open(root: &Path) -> Result<(Self, Waker), Unwatchable> {
        let queue =
            inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).map_err(|errno| match errno {
                Errno::MFILE => Unwatchable::Instances,
                other => Unwatchable::Refused(other.to_string()),
            })?;
        let queue = Arc::new(queue);
        let waker = Waker::with_queue(Some(queue.clone()));
        let (paths, watched) = (BTreeMap::new(), BTreeMap::new());
        Ok((Self { queue, root: root.to_owned(), paths, watched }, waker))
    }

    /// Watches a directory; returns whether the watch is new. Skips one that is gone or unreadable: its parent is watched and
    /// reports when that changes.
    pub(crate) fn add(&mut self, directory: &RepoPath) -> Result<bool, Unwatchable> {
        let native = to_native(directory).map_or_else(|| self.root.clone(), |path| self.root.join(path));
        let mut mask = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::MODIFY
            // Writes through a memory map are reported when the file is closed.
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW
            | WatchFlags::EXCL_UNLINK;
        if directory.as_bytes().is_empty() {
            mask |= WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
        }
        let number = match inotify::add_watch(&self.queue, &native, mask) {
            Ok(number) => number,
            Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::LOOP) => return Ok(false),
            Err(Errno::NOSPC) => return Err(Unwatchable::Watches),
            Err(other) => return Err(Unwatchable::Refused(other.to_string())),
        };
        // Checked after the watch is set: a later mount here causes superfluous notifications at worst.
        let kind = rustix::fs::statfs(&native).map_or(0, |stat| u64::try_from(stat.f_type).unwrap_or(0));
        if kind != 0 && !LOCAL_FILE_SYSTEMS.contains(&kind) {
            return Err(Unwatchable::FileSystem { directory: native, kind });
        }
        let before = self.watched.insert(directory.clone(), number);
        if let Some(before) = before.filter(|before| *before != number)
            && let Some(paths) = self.paths.get_mut(&before)
        {
            paths.retain(|path| path != directory);
        }
        let paths = self.paths.entry(number).or_default();
        if !paths.contains(directory) {
            paths.push(directory.clone());
        }
        Ok(before != Some(number))
    }

    /// Whether a directory of a region is watched.
    pub(crate) fn intersects(&self, region: &Subtrees) -> bool {
        self.watched.keys().any(|directory| region.contains(directory))
    }

    /// Removes the watches of a region.
    pub(crate) fn remove(&mut self, region: &Subtrees) {
        self.retain(|directory| !region.contains(directory));
    }

    /// Removes all other watches.
    pub(crate) fn keep_only(&mut self, directories: &BTreeSet<RepoPath>) {
        self.retain(|directory| directories.contains(directory));
    }

    fn retain(&mut self, keep: impl Fn(&RepoPath) -> bool) {
        let Self { queue, paths, watched, .. } = self;
        watched.retain(|directory, number| {
            let kept = keep(directory);
            if !kept && let Some(core) = paths.get_mut(number) {
                core.retain(|path| path != directory);
                if core.is_empty() {
                    paths.remove(number);
                    // Fails for a removed directory: the kernel has removed its watch already.
                    let _ = inotify::remove_watch(&*queue, *number);
                }
            }
            kept
        });
    }

    /// Passes all pending notifications to a function.
    pub(crate) fn drain(&mut self, mut handle: impl FnMut(WatchEvent)) -> Result<(), Unwatchable> {
        let mut buffer = vec![MaybeUninit::uninit(); BUFFER_SIZE];
        let queue = self.queue.clone();
        let mut reader = Reader::new(&*queue, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => continue,
                Err(other) => return Err(Unwatchable::Refused(other.to_string())),
            };
            let (number, flags) = (event.wd(), event.events());
            if flags.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT) {
                handle(WatchEvent::Overflow);
            } else if flags.intersects(ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF) {
                return Err(Unwatchable::Gone);
            } else if flags.contains(ReadFlags::IGNORED) {
                for directory in self.paths.remove(&number).unwrap_or_default() {
                    if self.watched.get(&directory) == Some(&number) {
                        self.watched.remove(&directory);
                    }
                }
            } else if let (Some(name), Some(directories)) = (event.file_name(), self.paths.get(&number)) {
                for directory in directories {
                    let (path, change) = affected_path(directory, name.to_bytes(), flags);
                    handle(WatchEvent::Change(path, change));
                }
            }
        }
    }
}

/// The path to refresh after a notification. An ignore file affects its whole directory.
fn affected_path(directory: &RepoPath, name: &[u8], flags: ReadFlags) -> (RepoPath, ChangeKind) {
    if is_rule_file(name) {
        return (directory.clone(), ChangeKind::Structure);
    }
    let path = if directory.as_bytes().is_empty() {
        RepoPath::new(name)
    } else {
        RepoPath::new([directory.as_bytes(), b"/", name].concat())
    };
    let content = ReadFlags::MODIFY | ReadFlags::CLOSE_WRITE | ReadFlags::ATTRIB;
    let is_directory = flags.contains(ReadFlags::ISDIR);
    (
        path,
        if flags.intersects(content) && !is_directory { ChangeKind::Content } else { ChangeKind::Structure },
    )
}

/// Wakes the thread that waits for notifications. If the system provides no eventfd, that thread polls instead.
pub(crate) struct Waker {
    queue: Option<Arc<OwnedFd>>,
    eventfd: Option<File>,
}

/// Poll interval without an eventfd.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

impl Waker {
    /// A waker without a queue of notifications.
    pub(crate) fn detached() -> Self {
        Self::with_queue(None)
    }

    fn with_queue(queue: Option<Arc<OwnedFd>>) -> Self {
        let eventfd = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK);
        Self { queue, eventfd: eventfd.ok().map(File::from) }
    }

    /// Wakes the thread that waits now, or the next one that does.
    pub(crate) fn wake(&self) {
        let _ = self.eventfd.as_ref().map(|mut eventfd| eventfd.write(&1_u64.to_ne_bytes()));
    }

    /// Waits for a notification, a call of [`Waker::wake`], or the timeout.
    pub(crate) fn wait(&self, timeout: Option<Duration>) {
        let timeout = match self.eventfd {
            None => Some(timeout.unwrap_or(POLL_INTERVAL).min(POLL_INTERVAL)),
            Some(_) => timeout,
        };
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(2);
        fds.extend(self.eventfd.as_ref().map(|eventfd| PollFd::new(eventfd, PollFlags::IN)));
        fds.extend(self.queue.as_deref().map(|queue| PollFd::new(queue, PollFlags::IN)));
        let _ = poll(&mut fds, timeout.as_ref());
        let _ = self.eventfd.as_ref().map(|mut eventfd| eventfd.read(&mut [0; 8]));
    }
}
