//! The data directory of a worker or node: caches only. Whatever is lost is fetched or built again.
//!
//! ```text
//! mirrors/<repository>.git     bare mirrors, of workers
//! roots/<repository>/<name>/   a directory that stands for the root of a tree; it has no files
//! store/                       the indexes
//! contents/ab/abcd…            contents by hash, as the database has them
//! facts/<branch>-<id>          the facts of published trees, for clones of users
//! manifests/<repository>/<id>  the entries of trees that have an index, to compare them
//! ```

use crate::error::TeamError;
use orient_safefs::{Directory, resolve_trusted_links};
use orient_settings::Override;
use orient_tools::SessionOptions;
use std::path::{Path, PathBuf};

/// The data directory.
#[derive(Clone, Debug)]
pub struct DataDirectory {
    path: PathBuf,
}

impl DataDirectory {
    /// Opens the directory, which must belong to this user; creates it if it is missing. Links that lead to it are the operator's, to another disk
    /// for example; below it, none is followed.
    pub fn open(path: &Path) -> Result<Self, TeamError> {
        let path = resolve_trusted_links(path, path).map_err(TeamError::io("the data directory"))?;
        let created =
            Directory::create(&path).map_err(TeamError::io(format!("cannot use {}", path.display())))?;
        Ok(Self { path: created.path().to_owned() })
    }

    /// A private directory below it.
    pub(crate) fn directory(&self, name: &str) -> Result<Directory, TeamError> {
        let path = self.path.join(name);
        Directory::create(&path).map_err(TeamError::io(format!("cannot use {}", path.display())))
    }

    /// Where the mirror of a repository is.
    pub(crate) fn mirror(&self, repository: i64) -> PathBuf {
        self.path.join("mirrors").join(format!("{repository}.git"))
    }

    /// How to open trees of a repository. The root has an empty git directory, so that the rules of a repository apply to it.
    pub(crate) fn session_options(&self, repository: i64, name: &str) -> Result<SessionOptions, TeamError> {
        let last = name.rsplit('/').next().unwrap_or(name);
        let root = format!("roots/{repository}/{last}");
        self.directory(&format!("{root}/.git/objects"))?;
        self.directory(&format!("{root}/.git/refs"))?;
        let git = self.directory(&format!("{root}/.git"))?;
        if git.entry("HEAD").is_none() {
            git.replace("HEAD", b"ref: refs/heads/none\n").map_err(TeamError::io("cannot write HEAD"))?;
        }
        let (root, store) = (self.path.join(root), self.path.join("store"));
        let Some(value) = store.to_str().map(str::to_owned) else {
            return Err(TeamError::usage("the data directory is not valid UTF-8", ""));
        };
        Ok(SessionOptions {
            start: root.clone(),
            directory: root,
            overrides: vec![Override { key: "store.dir".into(), value, flag: "--data".into() }],
            force: 0,
            refresh: true,
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_the_data_directory_is_followed_and_one_inside_is_not() {
        let top = tempfile::tempdir().expect("a directory");
        let (disk, link) = (top.path().join("disk"), top.path().join("link"));
        std::fs::create_dir(&disk).expect("created");
        std::os::unix::fs::symlink(&disk, &link).expect("a link");
        let data = DataDirectory::open(&link).expect("it is opened");
        data.directory("contents").expect("created");
        assert!(disk.join("contents").is_dir());
        std::os::unix::fs::symlink("/tmp", disk.join("facts")).expect("a link");
        assert!(data.directory("facts").is_err());
    }
}
