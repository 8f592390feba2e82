//! A folder of ours on systems without descriptors of folders: names are checked before they are used. What others may
//! do there follows from where the folder is, in the user's profile.

use crate::refusal::{Refusal, Why};
use crate::{Access, Entry};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// A folder that was reached without following a link.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Opens a folder of ours.
    pub fn open(path: &Path) -> io::Result<Self> {
        let metadata = fs::symlink_metadata(path)?;
        if metadata.is_symlink() {
            return Err(Refusal::error(path, Why::Link));
        }
        if !metadata.is_dir() {
            return Err(Refusal::error(path, Why::NotAFolder));
        }
        Ok(Self { path: std::path::absolute(path)? })
    }

    /// The same, making what is missing of the path.
    pub fn create(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Self::open(path)
    }

    /// Opens a folder that the user named, making what is missing of the path.
    pub fn shared(path: &Path) -> io::Result<Self> {
        Self::create(path)
    }

    /// The same without making anything.
    pub fn existing(path: &Path) -> io::Result<Self> {
        Self::open(path)
    }

    /// A folder for what everybody may read, making what is missing of the path.
    pub fn public(path: &Path) -> io::Result<Self> {
        Self::create(path)
    }

    /// Closes a shared folder to others: nothing is done here.
    pub fn close_to_others(&self, _ours: impl Fn(&str) -> bool) -> io::Result<()> {
        Ok(())
    }

    /// Where it is, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the path still leads to this folder.
    pub fn is_in_place(&self) -> bool {
        Self::open(&self.path).is_ok()
    }

    /// A name that leads to a file through a descriptor: there are none here.
    pub fn name_of(&self, _file: &str) -> Option<PathBuf> {
        None
    }

    /// Opens a file, which must be a plain one.
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

    /// Whether only this name leads to a file; nobody can tell here.
    pub fn is_sole_name(_file: &File) -> bool {
        true
    }

    /// Checks a file that somebody else will open: it must be a plain one. None where there is none.
    pub fn checked(&self, name: &str) -> io::Result<Option<Entry>> {
        let path = self.path.join(name);
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Ok(metadata) if metadata.is_symlink() => Err(Refusal::error(&path, Why::Link)),
            Ok(metadata) if !metadata.is_file() => Err(Refusal::error(&path, Why::NotAFile)),
            metadata => Ok(Some(entry(&metadata?))),
        }
    }

    /// What a name stands for, a link for itself; none where there is none.
    pub fn entry(&self, name: &str) -> Option<Entry> {
        fs::symlink_metadata(self.path.join(name)).ok().map(|metadata| entry(&metadata))
    }

    /// The content of a file, up to so many bytes; none where there is no such file.
    pub fn read(&self, name: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
        let file = match self.file(name, Access::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Puts a file in the place of whatever has that name, in one step.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let draft = format!(".{name}.{}", std::process::id());
        let _ = self.remove(&draft);
        let written = self.file(&draft, Access::Create).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        let done = written.and_then(|()| self.rename(&draft, name));
        if done.is_err() {
            let _ = self.remove(&draft);
        }
        done
    }

    /// Gives a file of this folder another name in it.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    /// Removes a file, or a link.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    /// The names in this folder.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            names.push(entry?.file_name());
        }
        names.sort();
        Ok(names)
    }

    /// The rename itself must do.
    pub fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Writes a file, waits for the disk, and removes it again: whether something can be kept here now.
    pub fn probe(&self) -> io::Result<()> {
        let name = format!(".probe.{}", std::process::id());
        let written = self.file(&name, Access::Create).and_then(|mut file| {
            file.write_all(&[b'o'; 16 << 10])?;
            file.sync_all()
        });
        let removed = self.remove(&name);
        written.and(removed)
    }

    /// How many bytes may still be written: not told here.
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
