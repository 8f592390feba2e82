//! The layout of the store: `<store>/<repository>-<hash>/{cache.db, <tree>-<hash>/index.db}`.

use crate::EngineError;
use orient_safefs::{Directory, resolve_trusted_links};
use orient_settings::Settings;
use orient_walk::Repo;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// The file in a tree's directory that names the tree's root, so that `gc` can tell when the tree is gone.
const ROOT_FILE: &str = "root";

/// Maximum length of a root path.
const MAX_ROOT_BYTES: u64 = 64 << 10;

/// The record of client setups beside the stores.
const RECEIPTS: &str = "setup.json";

/// The log directory beside the stores.
const LOGS: &str = "log";

/// Number of hash digits in a directory name.
const HASH_LENGTH: usize = 8;

/// Maximum length of the readable part of a directory name.
const NAME_LENGTH: usize = 40;

/// The directories of one tree in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorePaths {
    /// The directory of all stores.
    pub store: PathBuf,
    /// The directory that all working trees of the repository share.
    pub repository: PathBuf,
    /// The directory of this tree.
    pub tree: PathBuf,
}

impl StorePaths {
    pub(crate) const INDEX: &str = "index.db";
    pub(crate) const CACHE: &str = "cache.db";
    const TASKS: &str = "tasks.db";

    /// The directories for a repository: in `store` if given, else as in the settings, else in the user's cache
    /// directory.
    pub(crate) fn resolve(
        repo: &Repo,
        settings: &Settings,
        store: Option<&Path>,
    ) -> Result<Self, EngineError> {
        let store = store.map(Path::to_owned).or_else(|| settings.store.dir.clone());
        let store = store.or_else(orient_settings::store_root).ok_or(EngineError::NoStore)?;
        // Follow symbolic links on the way to the store, unless they are inside the repository.
        let store = resolve_trusted_links(&store, &repo.root).unwrap_or(store);
        let shared = repo.git.as_ref().map_or(repo.root.as_path(), |git| git.common_dir.as_path());
        let repository = store.join(unique_name(shared_name(shared), shared));
        Ok(Self { tree: Self::tree_directory(&repository, &repo.root), repository, store })
    }

    /// The directory of another tree of the same repository.
    pub(crate) fn tree_directory(repository: &Path, root: &Path) -> PathBuf {
        repository.join(unique_name(root.file_name(), root))
    }

    /// The path of this tree's index.
    pub fn index(&self) -> PathBuf {
        self.tree.join(Self::INDEX)
    }

    /// The path of this tree's tasks.
    pub fn tasks(&self) -> PathBuf {
        self.tree.join(Self::TASKS)
    }

    /// The path of the repository's cache.
    pub fn cache(&self) -> PathBuf {
        self.repository.join(Self::CACHE)
    }
}

/// The directory of a tree, created if missing and private to the user. It records the tree's root; if that fails,
/// `gc` leaves the directory alone.
pub(crate) fn own_directory(place: &StorePaths, root: &Path) -> io::Result<Directory> {
    let store = Directory::shared(&place.store)?;
    // Earlier versions left the store readable by others; only entries of ours are closed.
    let _ = store.make_private(|name| is_unique_name(name) || name == RECEIPTS || name == LOGS);
    Directory::create(&place.repository)?;
    let tree = Directory::create(&place.tree)?;
    let bytes = root.as_os_str().as_encoded_bytes();
    let signed = tree.read(ROOT_FILE, MAX_ROOT_BYTES);
    if !signed.is_ok_and(|signed| signed.as_deref() == Some(bytes)) {
        let _ = tree.replace(ROOT_FILE, bytes);
    }
    Ok(tree)
}

/// The root that a tree's directory records.
pub(crate) fn root_of(tree: &Path) -> Option<PathBuf> {
    native(Directory::open(tree).ok()?.read(ROOT_FILE, MAX_ROOT_BYTES).ok()??)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems cannot express every name")]
fn native(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn native(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(Into::into)
}

/// Whether a name has the form that [`unique_name`] gives.
pub(crate) fn is_unique_name(name: &str) -> bool {
    name.rsplit_once('-').is_some_and(|(readable, hash)| {
        let hex = |c: char| c.is_ascii_digit() || matches!(c, 'a'..='f');
        !readable.is_empty() && hash.len() == HASH_LENGTH && hash.chars().all(hex)
    })
}

/// The readable name of a repository: the directory around `.git`, or `name` of a bare `name.git`.
fn shared_name(shared: &Path) -> Option<&OsStr> {
    if shared.file_name() == Some(OsStr::new(".git")) {
        return shared.parent().and_then(Path::file_name);
    }
    shared.file_stem()
}

/// A directory name that is readable, portable and unique per path.
fn unique_name(name: Option<&OsStr>, path: &Path) -> String {
    let name = name.map(OsStr::to_string_lossy).unwrap_or_default();
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let readable: String = name.chars().take(NAME_LENGTH).map(safe).collect();
    let readable = readable.trim_matches('.');
    let hash = blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex();
    format!("{}-{}", if readable.is_empty() { "tree" } else { readable }, &hash[..HASH_LENGTH])
}

/// The size of a database with its WAL files.
pub(crate) fn bytes_of_database(path: &Path) -> u64 {
    ["", "-wal", "-shm"]
        .iter()
        .filter_map(|suffix| {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            std::fs::metadata(name).ok()
        })
        .map(|metadata| metadata.len())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_walk::GitDirs;

    fn repo(root: &str, common: Option<&str>) -> Repo {
        let dirs = |common: &str| GitDirs { git_dir: common.into(), common_dir: common.into() };
        Repo { root: root.into(), git: common.map(dirs) }
    }

    fn place(repo: &Repo) -> StorePaths {
        StorePaths::resolve(repo, &Settings::default(), Some(Path::new("/s"))).expect("a store is given")
    }

    #[test]
    fn trees_of_a_repository_share_its_directory_and_have_their_own() {
        let main = place(&repo("/w/shop", Some("/w/shop/.git")));
        let side = place(&repo("/w/shop-fix", Some("/w/shop/.git")));
        assert_eq!(main.repository, side.repository);
        assert_ne!(main.tree, side.tree);
        assert!(main.tree.starts_with(&main.repository) && main.repository.starts_with("/s"));
        let directory = main.repository.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(
            directory.starts_with("shop-") && directory.len() == 13 && is_unique_name(&directory),
            "{directory}"
        );
        assert!(!is_unique_name("shop") && !is_unique_name("my-notebook") && !is_unique_name("-12345678"));
    }

    #[test]
    fn directory_names_are_portable_and_unique_per_path() {
        assert_ne!(place(&repo("/a/x", None)).repository, place(&repo("/b/x", None)).repository);
        let odd = place(&repo("/a/my project: größe", None));
        let directory = odd.repository.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(directory.starts_with("my_project__gr__e-"), "{directory}");
        let bare = place(&repo("/w/side", Some("/srv/tools.git")));
        assert!(bare.repository.file_name().expect("a name").to_string_lossy().starts_with("tools-"));
        assert!(place(&repo("/", None)).tree.ends_with(unique_name(None, Path::new("/"))));
    }
}
