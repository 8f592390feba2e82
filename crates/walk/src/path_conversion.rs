//! Converts between native paths and repository paths.

use orient_model::RepoPath;
use std::cmp::Ordering;
use std::path::{Component, Path, PathBuf};

/// The repository path of `native` below `root`; `None` if it is not below it.
pub fn from_native(root: &Path, native: &Path) -> Option<RepoPath> {
    let relative = native.strip_prefix(root).ok()?;
    let bytes = relative.as_os_str().as_encoded_bytes();
    if cfg!(windows) {
        let slashed: Vec<u8> = bytes.iter().map(|&b| if b == b'\\' { b'/' } else { b }).collect();
        return Some(RepoPath::new(slashed));
    }
    Some(RepoPath::new(bytes))
}

/// A path without `.` and `..`, computed lexically: symbolic links are not followed.
pub fn normalised(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// The relative native path; `None` if it would leave the root or cannot be represented.
#[cfg(unix)]
pub fn to_native(path: &RepoPath) -> Option<PathBuf> {
    as_native(path).map(Path::to_owned)
}

/// The same without a copy, if possible.
#[cfg(unix)]
pub(crate) fn as_native(path: &RepoPath) -> Option<&Path> {
    use std::os::unix::ffi::OsStrExt;
    let bytes = path.as_bytes();
    bytes.split(|&b| b == b'/').all(stays).then(|| Path::new(std::ffi::OsStr::from_bytes(bytes)))
}

/// The relative native path; `None` if it would leave the root or cannot be represented.
#[cfg(not(unix))]
pub fn to_native(path: &RepoPath) -> Option<PathBuf> {
    let mut native = PathBuf::new();
    for part in path.as_bytes().split(|&b| b == b'/') {
        let text = std::str::from_utf8(part).ok()?;
        if !stays(part) || text.contains(['\\', ':']) {
            return None;
        }
        native.push(text);
    }
    Some(native)
}

#[cfg(not(unix))]
pub(crate) fn as_native(path: &RepoPath) -> Option<PathBuf> {
    to_native(path)
}

/// Whether a component of a path is a name, not `.` or `..`.
fn stays(part: &[u8]) -> bool {
    !(part.is_empty() || part == b"." || part == b".." || part.contains(&0))
}

/// The order of two repository paths by components, as in [`Path`]: `directory/x` comes before `directory.c`.
pub fn compare_by_component(a: &[u8], b: &[u8]) -> Ordering {
    let rank = |byte: u8| if byte == b'/' { 0 } else { byte };
    match a.iter().zip(b).position(|(a, b)| a != b) {
        Some(at) => rank(a[at]).cmp(&rank(b[at])),
        None => a.len().cmp(&b.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_would_leave_the_root_has_no_native_form() {
        for bad in ["../x", "a/../../x", "/etc/passwd", "a//b", "", ".", "a/./b", "a\0b"] {
            assert_eq!(to_native(&RepoPath::from(bad)), None, "{bad:?}");
        }
    }

    #[test]
    fn paths_are_ordered_part_by_part() {
        let paths = ["a/b", "a.c", "a", "a/b/c", "a-b/c", "ab", "a/b.c", "a/b0", "\u{1}/x", "a/é"];
        for one in paths {
            for other in paths {
                let expected = Path::new(one).cmp(Path::new(other));
                assert_eq!(
                    compare_by_component(one.as_bytes(), other.as_bytes()),
                    expected,
                    "{one:?} {other:?}"
                );
            }
        }
    }

    #[test]
    fn paths_come_back_as_they_went_in() {
        let root = Path::new("/r");
        let path = RepoPath::new(&b"a b/caf\xe9.c"[..]);
        if let Some(native) = to_native(&path) {
            assert_eq!(from_native(root, &root.join(native)), Some(path));
        }
        assert_eq!(from_native(root, Path::new("/elsewhere/x")), None);
    }
}
