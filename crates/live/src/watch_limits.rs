//! Why a tree cannot be watched, and the limits of the system on watches.

use crate::watch::WatchSet;
use orient_model::RepoPath;
use std::fmt;
use std::path::{Path, PathBuf};

/// Why a tree is not watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unwatchable {
    /// This system has no ordered queue of change notifications.
    System,
    /// The user has reached the maximum number of inotify instances.
    Instances,
    /// The user has reached the maximum number of watches.
    Watches,
    /// A file system that other machines may change without a notification, or an unknown one.
    FileSystem {
        /// A directory on it.
        directory: PathBuf,
        /// Its magic number.
        kind: u64,
    },
    /// The tree was moved or removed.
    Gone,
    /// The kernel refused, with its reason.
    Refused(String),
}

impl Unwatchable {
    /// The kind of reason, for the log. Contains no path.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Instances => "instances",
            Self::Watches => "watches",
            Self::FileSystem { .. } => "file_system",
            Self::Gone => "gone",
            Self::Refused(_) => "refused",
        }
    }
}

impl fmt::Display for Unwatchable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System => f.write_str("files are not watched on this system"),
            Self::Instances => f.write_str(
                "the maximum number of inotify instances is in use; raise fs.inotify.max_user_instances",
            ),
            Self::Watches => f.write_str(
                "the maximum number of inotify watches is in use; raise fs.inotify.max_user_watches",
            ),
            Self::FileSystem { directory, kind } => {
                let directory = directory.display();
                write!(f, "{directory} is on a file system that does not report every change (0x{kind:x})")
            }
            Self::Gone => f.write_str("the directory was moved or removed"),
            Self::Refused(why) => write!(f, "the system refuses to watch files: {why}"),
        }
    }
}

/// Why a tree cannot be watched, judging by its root; none if it can.
pub fn probe(root: &Path) -> Option<Unwatchable> {
    let (mut watch, _bell) = match WatchSet::open(root) {
        Ok(opened) => opened,
        Err(why) => return Some(why),
    };
    watch.add(&RepoPath::from("")).err()
}

/// The limits of the system, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchLimits {
    /// Maximum number of inotify instances per user.
    pub instances: Option<u64>,
    /// Maximum number of watches per user.
    pub watches: Option<u64>,
    /// Maximum number of queued notifications.
    pub queued: Option<u64>,
}

impl WatchLimits {
    /// Reads the limits of this machine.
    pub fn read() -> Self {
        Self::read_from(Path::new("/proc/sys/fs/inotify"))
    }

    fn read_from(directory: &Path) -> Self {
        let number = |name| std::fs::read_to_string(directory.join(name)).ok()?.trim().parse().ok();
        Self {
            instances: number("max_user_instances"),
            watches: number("max_user_watches"),
            queued: number("max_queued_events"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_if_the_system_has_them() {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("max_user_watches"), "8192\n").expect("written");
        let limits = WatchLimits::read_from(directory.path());
        assert_eq!((limits.watches, limits.instances, limits.queued), (Some(8192), None, None));
    }

    #[test]
    fn a_local_directory_can_be_watched() {
        let directory = tempfile::tempdir().expect("a directory");
        let expected = if cfg!(target_os = "linux") { None } else { Some(Unwatchable::System) };
        assert_eq!(probe(directory.path()), expected);
        #[cfg(target_os = "linux")]
        assert!(matches!(probe(Path::new("/proc")), Some(Unwatchable::FileSystem { .. })));
    }

    #[test]
    fn a_reached_limit_names_the_setting_to_raise() {
        assert!(Unwatchable::Watches.to_string().ends_with("raise fs.inotify.max_user_watches"));
        let remote = Unwatchable::FileSystem { directory: "/net/x".into(), kind: 0x6969 };
        assert!(
            remote.to_string().starts_with("/net/x is on a file system")
                && remote.to_string().contains("0x6969")
        );
    }
}
