//! Directories that are not indexed as a whole without confirmation: home, system directories, file system roots.

use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a directory is indexed only with `--force --force`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is {what}: index a project inside it, or ask twice with `--force --force`", path.display())]
pub struct UnsuitableRoot {
    /// The directory.
    pub path: PathBuf,
    /// What kind of directory it is.
    pub what: &'static str,
}

/// System directories. Projects below them are allowed.
const SYSTEM: [&str; 44] = [
    "/Applications",
    "/Library",
    "/System",
    "/System/Library",
    "/Users",
    "/Volumes",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib32",
    "/lib64",
    "/media",
    "/mnt",
    "/nix",
    "/nix/store",
    "/opt",
    "/private",
    "/private/etc",
    "/private/tmp",
    "/private/var",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/snap",
    "/srv",
    "/sys",
    "/tmp",
    "/usr",
    "/usr/bin",
    "/usr/include",
    "/usr/lib",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/local",
    "/usr/sbin",
    "/usr/share",
    "/usr/src",
    "/var",
    "/var/lib",
    "/var/tmp",
];

/// Directories of the kernel: nothing below them is allowed either.
const UNREAL: [&str; 3] = ["/dev", "/proc", "/sys"];

/// Refuses a file system root, the user's home directory, its ancestors, and system directories.
pub fn check_root(root: &Path) -> Result<(), UnsuitableRoot> {
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    check_root_for(root, home.map(|home| home.canonicalize().unwrap_or(home)).as_deref())
}

fn check_root_for(root: &Path, home: Option<&Path>) -> Result<(), UnsuitableRoot> {
    let what = if root.parent().is_none() {
        "the root of a file system"
    } else if home == Some(root) {
        "your home directory"
    } else if home.is_some_and(|home| home.starts_with(root)) {
        "a directory around your home directory"
    } else if is_system(root) {
        "a directory of the system"
    } else {
        return Ok(());
    };
    Err(UnsuitableRoot { path: root.to_owned(), what })
}

fn is_system(root: &Path) -> bool {
    if cfg!(windows) {
        let mut parts = root.components().skip(2).map(|part| part.as_os_str().to_ascii_lowercase());
        let first = parts.next().unwrap_or_default();
        return parts.next().is_none()
            && ["windows", "users", "program files", "program files (x86)", "programdata"]
                .iter()
                .any(|name| first == *name);
    }
    SYSTEM.iter().any(|directory| root == Path::new(directory))
        || UNREAL.iter().any(|directory| root.starts_with(directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(root: &str, home: &str) -> Option<&'static str> {
        check_root_for(Path::new(root), Some(Path::new(home))).err().map(|refusal| refusal.what)
    }

    #[test]
    fn home_root_and_system_directories_are_refused() {
        assert_eq!(refused("/", "/home/ann"), Some("the root of a file system"));
        assert_eq!(refused("/home/ann", "/home/ann"), Some("your home directory"));
        assert_eq!(refused("/data", "/data/people/ann"), Some("a directory around your home directory"));
        for system in ["/etc", "/usr", "/usr/lib", "/mnt", "/proc/self", "/var"] {
            assert_eq!(refused(system, "/home/ann"), Some("a directory of the system"), "{system}");
        }
    }

    #[test]
    fn projects_are_not() {
        for project in ["/home/ann/shop", "/usr/src/linux", "/home/anna", "/opt/app", "/etc/nixos", "/work"] {
            assert_eq!(refused(project, "/home/ann"), None, "{project}");
        }
        assert_eq!(check_root_for(Path::new("/work/x"), None), Ok(()));
    }

    #[test]
    fn the_message_says_what_to_type() {
        let refusal = check_root_for(Path::new("/"), None).expect_err("a root is refused");
        assert!(refusal.to_string().ends_with("ask twice with `--force --force`"), "{refusal}");
    }
}
