//! Opens regular files by path: from untrusted sources, and of the user.

use crate::opened_files;
use crate::unsafe_path::{UnsafePath, UnsafeReason};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens an untrusted file for reading. Does not follow a symbolic link and does not block on a pipe.
pub fn open_regular(path: &Path) -> io::Result<File> {
    match without_waiting(path, false) {
        Ok(file) if file.metadata()?.is_file() && (cfg!(unix) || !path.is_symlink()) => {
            opened_files::record(path);
            Ok(file)
        }
        Ok(_) => Err(UnsafePath::error(path, UnsafeReason::NotAFile)),
        Err(_) if path.is_symlink() => Err(UnsafePath::error(path, UnsafeReason::Link)),
        Err(error) => Err(error),
    }
}

/// The first `most` bytes of a file that the user chose, such as a configuration in the home directory: links are followed. It must be a
/// regular file.
pub fn read_trusted(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = without_waiting(path, true)?;
    if !file.metadata()?.is_file() {
        return Err(UnsafePath::error(path, UnsafeReason::NotAFile));
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens whatever is at a path, without waiting for the other end of a pipe.
#[cfg(unix)]
fn without_waiting(path: &Path, follow: bool) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let links = if follow { OFlags::empty() } else { OFlags::NOFOLLOW };
    let flags = links | OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn without_waiting(path: &Path, _follow: bool) -> io::Result<File> {
    File::open(path)
}
