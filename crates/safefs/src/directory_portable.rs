//! A private directory on systems without directory descriptors: names are checked before use. Access control comes from
//! its location in the user's profile.

use crate::unsafe_path::{UnsafePath, UnsafeReason};
use crate::{Access, Entry};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A directory that was opened without following a link.
#[derive(Clone, Debug)]
pub struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Opens a private directory.
    pub fn open(path: &Path) -> io::Result<Self> {
        let metadata = fs::symlink_metadata(path)?;
        if metadata.is_symlink() {
            return Err(UnsafePath::error(path, UnsafeReason::Link));
        }
        if !metadata.is_dir() {
            return Err(UnsafePath::error(path, UnsafeReason::NotADirectory));
        }
        Ok(Self { path: std::path::absolute(path)? })
    }

    /// The same; creates missing directories.
    pub fn create(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Self::open(path)
    }

    /// Opens a directory that the user named; creates missing directories.
    pub fn shared(path: &Path) -> io::Result<Self> {
        Self::create(path)
    }

    /// The same without creating anything.
    pub fn existing(path: &Path) -> io::Result<Self> {
        Self::open(path)
    }

    /// Opens a world-readable directory; creates missing directories.
    pub fn public(path: &Path) -> io::Result<Self> {
        Self::create(path)
    }

    /// No effect on this system.
    pub fn make_private(&self, _ours: impl Fn(&str) -> bool) -> io::Result<()> {
        Ok(())
    }

    /// The path, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the path still refers to this directory.
    pub fn is_in_place(&self) -> bool {
        Self::open(&self.path).is_ok()
    }

    /// A path through a descriptor: never available on this system.
    pub fn descriptor_path(&self, _file: &str) -> Option<PathBuf> {
        None
    }

    /// Opens a file, which must be a regular file.
    pub fn file(&self, name: &str, access: Access) -> io::Result<File> {
        self.checked(name)?;
        let mut options = File::options();
        match access {
            Access::Read => options.read(true),
            Access::Write => options.read(true).write(true).create(true).truncate(false),
            Access::Create => options.read(true).write(true).create_new(true),
            Access::Append => options.append(true).create(true),
        };
        options.open(self.path.join(name))
    }

    /// Whether a file has no other hard link; unknown on this system.
    pub fn is_sole_name(_file: &File) -> bool {
        true
    }

    /// Checks that a file is a regular file. `None` if it does not exist.
    pub fn checked(&self, name: &str) -> io::Result<Option<Entry>> {
        let path = self.path.join(name);
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Ok(metadata) if metadata.is_symlink() => Err(UnsafePath::error(&path, UnsafeReason::Link)),
            Ok(metadata) if !metadata.is_file() => Err(UnsafePath::error(&path, UnsafeReason::NotAFile)),
            metadata => Ok(Some(entry(&metadata?))),
        }
    }

    /// The metadata of an entry, without following a link. `None` if it does not exist.
    pub fn entry(&self, name: &str) -> Option<Entry> {
        fs::symlink_metadata(self.path.join(name)).ok().map(|metadata| entry(&metadata))
    }

    /// Renames a file within this directory.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    /// Removes a file or a link.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    /// The names in this directory, sorted.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            names.push(entry?.file_name());
        }
        names.sort();
        Ok(names)
    }

    /// No effect on this system.
    pub fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// The free disk space; unknown on this system.
    pub fn free_space(&self) -> Option<u64> {
        None
    }
}

fn entry(metadata: &fs::Metadata) -> Entry {
    Entry {
        id: (0, 0),
        is_socket: false,
        bytes: metadata.len(),
        modified: metadata.modified().ok(),
        changed: None,
    }
}
