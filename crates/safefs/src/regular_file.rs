//! Opens regular files by path: from untrusted sources, and of the user.

use crate::opened_files;
use crate::unsafe_path::{UnsafePath, UnsafeReason};
use std::fs::File;
use std::io::{self, Read};
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
        Ok(file) if file.metadata()?.is_file() && (cfg!(unix) || !path.is_symlink()) => {
            opened_files::record(path);
            Ok(file)
        }
        Ok(_) => Err(UnsafePath::error(path, UnsafeReason::NotAFile)),
        Err(_) if path.is_symlink() => Err(UnsafePath::error(path, UnsafeReason::Link)),
        Err(error) => Err(error),
    }
}

/// The first `most` bytes of a file that the user chose, such as a configuration in the home directory: links are followed.
pub fn read_trusted(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
