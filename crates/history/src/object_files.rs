//! Which files hold the objects of a repository, checked before the library that reads them opens any: it follows links, and would wait for
//! a pipe.

use crate::error::HistoryError;
use crate::git_files::{optional, refused};
use crate::oid::Oid;
use orient_safefs::{EntryKind, UntrustedDirectory};
use std::io;
use std::path::{Path, PathBuf};

/// Maximum size of a list of alternates.
const MAX_ALTERNATES: u64 = 1 << 20;
/// Maximum number of object directories: git itself follows alternates five deep.
const MAX_DIRECTORIES: usize = 64;
/// Maximum number of packs, and of entries beside them.
const MAX_PACK_ENTRIES: usize = 1_000_000;

/// The object directories of a repository: its own first, then its alternates.
pub(crate) struct ObjectFiles {
    directories: Vec<UntrustedDirectory>,
    /// Whether the repository is a partial clone, in which objects may be missing.
    pub(crate) is_partial: bool,
}

impl ObjectFiles {
    /// Checks that directories, packs and lists of alternates are what git makes. Loose objects are checked when one is read.
    ///
    /// Alternates may be anywhere: git writes no way back. They hold objects, not refs, so that only what a commit of this repository names is
    /// found there.
    pub(crate) fn open(common: &UntrustedDirectory) -> Result<Self, HistoryError> {
        let own = common.path().join("objects");
        match common.kind("objects") {
            Some(EntryKind::Directory) => {}
            Some(_) => return Err(link(&own)),
            None => return Err(HistoryError::Damaged(format!("{} is missing", own.display()))),
        }
        let mut files = Self { directories: Vec::new(), is_partial: false };
        let mut waiting = vec![own.clone()];
        while let Some(path) = waiting.pop() {
            let directory = match UntrustedDirectory::open(&path) {
                Ok(directory) => directory,
                // An alternate that is gone may hold nothing that is asked for.
                Err(error) if path != own && error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(refused(&path, error)),
            };
            let list = optional(&directory, "info/alternates", MAX_ALTERNATES)?.unwrap_or_default();
            files.check(&directory)?;
            files.directories.push(directory);
            if files.directories.len() + waiting.len() > MAX_DIRECTORIES {
                return Err(HistoryError::Refused(format!("{} has too many alternates", own.display())));
            }
            for line in list.split(|&byte| byte == b'\n').filter(|line| !line.is_empty() && line[0] != b'#') {
                let named = own.join(String::from_utf8_lossy(line).trim_end());
                let is_known = |known: &UntrustedDirectory| known.path() == named;
                if !files.directories.iter().any(is_known) && !waiting.contains(&named) {
                    waiting.push(named);
                }
            }
        }
        Ok(files)
    }

    /// Checks the lists and the packs. Loose objects are checked when they are read.
    fn check(&mut self, directory: &UntrustedDirectory) -> Result<(), HistoryError> {
        let is_own = self.directories.is_empty();
        for name in ["pack", "info"] {
            if directory.kind(name).is_some_and(|kind| kind != EntryKind::Directory) {
                return Err(link(&directory.path().join(name)));
            }
        }
        for (name, _) in directory.entries("pack", MAX_PACK_ENTRIES).unwrap_or_default() {
            let path = Path::new(&name);
            let extension = path.extension().unwrap_or_default();
            self.is_partial |= is_own && extension == "promisor";
            let is_read = extension == "pack" || extension == "idx" || name == "multi-pack-index";
            if is_read {
                let inside = Path::new("pack").join(path);
                directory.check(&inside).map_err(|error| refused(&directory.path().join(&inside), error))?;
            }
        }
        Ok(())
    }

    /// Checks an object that was read from no pack: it must be in a regular file of an object directory, reached without a link.
    pub(crate) fn check_loose(&self, oid: &Oid) -> Result<(), HistoryError> {
        let digits = oid.to_string();
        let inside: PathBuf = [&digits[..2], &digits[2..]].iter().collect();
        if self.directories.iter().any(|directory| directory.check(&inside).is_ok()) {
            return Ok(());
        }
        Err(link(&self.directories[0].path().join(inside)))
    }
}

fn link(path: &Path) -> HistoryError {
    HistoryError::Refused(format!("{} is a link, or no regular file or directory", path.display()))
}
