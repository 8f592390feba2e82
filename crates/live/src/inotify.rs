//! Folders watched through the kernel's queue of notices. Reading it to its end tells of every change made before.

use crate::dirty::Change;
use crate::limits::Unwatchable;
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

/// File systems whose changes all pass through our kernel, by the number `statfs` gives. Others are taken for remote: a
/// notice that never comes would be a wrong answer, a needless comparison is only slower.
const LOCAL: [u64; 21] = [
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

/// Room for many notices at once.
const BUFFER: usize = 64 << 10;

/// What is noticed.
pub(crate) enum Notice {
    /// Something changed at a path.
    Change(RepoPath, Change),
    /// Notices were lost.
    Lost,
}

/// Some folders of a tree, watched.
pub(crate) struct Watch {
    queue: Arc<OwnedFd>,
    root: PathBuf,
    /// The paths of each watched folder; more than one where the same is mounted twice.
    paths: BTreeMap<i32, Vec<RepoPath>>,
    watched: BTreeMap<RepoPath, i32>,
}

impl Watch {
    /// A watcher of nothing yet.
    pub(crate) fn open(root: &Path) -> Result<(Self, Bell), Unwatchable> {
        let queue =
            inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).map_err(|errno| match errno {
                Errno::MFILE => Unwatchable::Instances,
                other => Unwatchable::Refused(other.to_string()),
            })?;
        let queue = Arc::new(queue);
        let bell = Bell::over(Some(queue.clone()));
        let (paths, watched) = (BTreeMap::new(), BTreeMap::new());
        Ok((Self { queue, root: root.to_owned(), paths, watched }, bell))
    }

    /// Watches a folder; says whether it was not watched before. One that is gone or may not be read is passed over: a
    /// change of that is noticed in the folder around it.
    pub(crate) fn add(&mut self, folder: &RepoPath) -> Result<bool, Unwatchable> {
        let native = to_native(folder).map_or_else(|| self.root.clone(), |path| self.root.join(path));
        let mut mask = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::MODIFY
            // What was written through a memory map is told of when that ends.
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW
            | WatchFlags::EXCL_UNLINK;
        if folder.as_bytes().is_empty() {
            mask |= WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
        }
        let number = match inotify::add_watch(&self.queue, &native, mask) {
            Ok(number) => number,
            Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::LOOP) => return Ok(false),
            Err(Errno::NOSPC) => return Err(Unwatchable::Watches),
            Err(other) => return Err(Unwatchable::Refused(other.to_string())),
        };
        // Asked after the watch is set, so that what is mounted here later is at worst noticed too often.
        let kind = rustix::fs::statfs(&native).map_or(0, |stat| u64::try_from(stat.f_type).unwrap_or(0));
        if kind != 0 && !LOCAL.contains(&kind) {
            return Err(Unwatchable::FileSystem { folder: native, kind });
        }
        let before = self.watched.insert(folder.clone(), number);
        if let Some(before) = before.filter(|before| *before != number)
            && let Some(paths) = self.paths.get_mut(&before)
        {
            paths.retain(|path| path != folder);
        }
        let paths = self.paths.entry(number).or_default();
        if !paths.contains(folder) {
            paths.push(folder.clone());
        }
        Ok(before != Some(number))
    }

    /// Whether a folder of a region is watched.
    pub(crate) fn holds(&self, region: &Subtrees) -> bool {
        self.watched.keys().any(|folder| region.contains(folder))
    }

    /// Ends the watch over all folders of a region.
    pub(crate) fn forget(&mut self, region: &Subtrees) {
        self.retain(|folder| !region.contains(folder));
    }

    /// Ends the watch over all other folders.
    pub(crate) fn keep_only(&mut self, folders: &BTreeSet<RepoPath>) {
        self.retain(|folder| folders.contains(folder));
    }

    fn retain(&mut self, keep: impl Fn(&RepoPath) -> bool) {
        let Self { queue, paths, watched, .. } = self;
        watched.retain(|folder, number| {
            let kept = keep(folder);
            if !kept && let Some(shared) = paths.get_mut(number) {
                shared.retain(|path| path != folder);
                if shared.is_empty() {
                    paths.remove(number);
                    // The kernel has forgotten a folder that is gone.
                    let _ = inotify::remove_watch(&*queue, *number);
                }
            }
            kept
        });
    }

    /// Shows all notices there are.
    pub(crate) fn drain(&mut self, mut see: impl FnMut(Notice)) -> Result<(), Unwatchable> {
        let mut buffer = vec![MaybeUninit::uninit(); BUFFER];
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
                see(Notice::Lost);
            } else if flags.intersects(ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF) {
                return Err(Unwatchable::Gone);
            } else if flags.contains(ReadFlags::IGNORED) {
                for folder in self.paths.remove(&number).unwrap_or_default() {
                    if self.watched.get(&folder) == Some(&number) {
                        self.watched.remove(&folder);
                    }
                }
            } else if let (Some(name), Some(folders)) = (event.file_name(), self.paths.get(&number)) {
                for folder in folders {
                    let (path, change) = meaning(folder, name.to_bytes(), flags);
                    see(Notice::Change(path, change));
                }
            }
        }
    }
}

/// What must be looked at after a notice: what says what is ignored concerns the whole folder it is in.
fn meaning(folder: &RepoPath, name: &[u8], flags: ReadFlags) -> (RepoPath, Change) {
    if is_rule_file(name) {
        return (folder.clone(), Change::Place);
    }
    let path = if folder.as_bytes().is_empty() {
        RepoPath::new(name)
    } else {
        RepoPath::new([folder.as_bytes(), b"/", name].concat())
    };
    let content = ReadFlags::MODIFY | ReadFlags::CLOSE_WRITE | ReadFlags::ATTRIB;
    let is_folder = flags.contains(ReadFlags::ISDIR);
    (path, if flags.intersects(content) && !is_folder { Change::Content } else { Change::Place })
}

/// Wakes whoever waits for notices, or for being told to end. Without one that works, whoever waits looks up now and then.
pub(crate) struct Bell {
    queue: Option<Arc<OwnedFd>>,
    rope: Option<File>,
}

/// How often to look up where nothing wakes us.
const LOOK_UP: Duration = Duration::from_millis(200);

impl Bell {
    /// A bell that no notice rings.
    pub(crate) fn alone() -> Self {
        Self::over(None)
    }

    fn over(queue: Option<Arc<OwnedFd>>) -> Self {
        let rope = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK);
        Self { queue, rope: rope.ok().map(File::from) }
    }

    /// Wakes whoever waits now, or next.
    pub(crate) fn ring(&self) {
        let _ = self.rope.as_ref().map(|mut rope| rope.write(&1_u64.to_ne_bytes()));
    }

    /// Waits until there are notices, it rings, or the time is over.
    pub(crate) fn wait(&self, most: Option<Duration>) {
        let most = if self.rope.is_none() { Some(most.unwrap_or(LOOK_UP).min(LOOK_UP)) } else { most };
        let timeout = most.and_then(|most| Timespec::try_from(most).ok());
        let mut ends: Vec<PollFd<'_>> = Vec::with_capacity(2);
        ends.extend(self.rope.as_ref().map(|rope| PollFd::new(rope, PollFlags::IN)));
        ends.extend(self.queue.as_deref().map(|queue| PollFd::new(queue, PollFlags::IN)));
        let _ = poll(&mut ends, timeout.as_ref());
        let _ = self.rope.as_ref().map(|mut rope| rope.read(&mut [0; 8]));
    }
}
