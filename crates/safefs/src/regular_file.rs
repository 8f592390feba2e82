//! Opens regular files from untrusted sources.

use crate::unsafe_path::{UnsafePath, UnsafeReason};
use std::fs::File;
use std::io;
use std::path::Path;

/// Opens an untrusted file for reading. Does not follow a symbolic link and does not block on a pipe.
pub fn open_regular(path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    let opened = {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty()).map(File::from).map_err(io::Error::from)
    };
    #[cfg(not(unix))]
    let opened = File::open(path);
    match opened {
        Ok(file) if file.metadata()?.is_file() && (cfg!(unix) || !path.is_symlink()) => Ok(file),
        Ok(_) => Err(UnsafePath::error(path, UnsafeReason::NotAFile)),
        Err(_) if path.is_symlink() => Err(UnsafePath::error(path, UnsafeReason::Link)),
        Err(error) => Err(error),
    }
}
