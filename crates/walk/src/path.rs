//! Between the system's paths and ours.

use orient_model::RepoPath;
use std::path::{Path, PathBuf};

/// The path of `native` below `root`, in our form; `None` where it does not lie below it.
pub fn from_native(root: &Path, native: &Path) -> Option<RepoPath> {
    let relative = native.strip_prefix(root).ok()?;
    let bytes = relative.as_os_str().as_encoded_bytes();
    if cfg!(windows) {
        let slashed: Vec<u8> = bytes.iter().map(|&b| if b == b'\\' { b'/' } else { b }).collect();
        return Some(RepoPath::new(slashed));
    }
    Some(RepoPath::new(bytes))
}

/// Our path as the system wants it, relative; `None` where it would leave the root or the system cannot say it.
pub fn to_native(path: &RepoPath) -> Option<PathBuf> {
    let mut native = PathBuf::new();
    for part in path.as_bytes().split(|&b| b == b'/') {
        if part.is_empty() || part == b"." || part == b".." || part.contains(&0) {
            return None;
        }
        native.push(native_part(part)?);
    }
    Some(native)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems cannot express every name")]
fn native_part(part: &[u8]) -> Option<&std::ffi::OsStr> {
    Some(std::os::unix::ffi::OsStrExt::from_bytes(part))
}

#[cfg(not(unix))]
fn native_part(part: &[u8]) -> Option<&std::ffi::OsStr> {
    let text = std::str::from_utf8(part).ok()?;
    (!text.contains(['\\', ':'])).then(|| std::ffi::OsStr::new(text))
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
    fn paths_come_back_as_they_went_in() {
        let root = Path::new("/r");
        let path = RepoPath::new(&b"a b/caf\xe9.c"[..]);
        if let Some(native) = to_native(&path) {
            assert_eq!(from_native(root, &root.join(native)), Some(path));
        }
        assert_eq!(from_native(root, Path::new("/elsewhere/x")), None);
    }
}
