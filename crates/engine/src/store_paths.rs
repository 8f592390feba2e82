//! The layout of the store: `<store>/<repository>-<hash>/{cache.db, <tree>-<hash>/index.db}`.

use crate::EngineError;
use orient_safefs::{Access, Directory, resolve_trusted_links};
use orient_settings::Settings;
use orient_walk::Repo;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

/// The file that keeps git from seeing a store in a repository.
const IGNORE_FILE: &str = ".gitignore";

/// The file in a tree's directory that names the tree's root, so that `gc` can tell when the tree is gone.
const ROOT_FILE: &str = "root";

/// The file in the directory of a stored tree that holds the tree's id. Its time is that of the last use.
const TREE_FILE: &str = "tree";

/// The readable part of the directory names of stored trees.
const STORED: &str = "commit";

/// Maximum length of the id of a tree.
const MAX_ID_BYTES: u64 = 64;

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

    /// The directories of a stored tree of the same repository.
    pub(crate) fn of_stored_tree(&self, id: &[u8]) -> Self {
        let hash = blake3::hash(id).to_hex();
        let tree = self.repository.join(format!("{STORED}-{}", &hash[..HASH_LENGTH]));
        Self { tree, ..self.clone() }
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
pub(crate) fn own_directory(place: &StorePaths, root: &Path, id: Option<&[u8]>) -> io::Result<Directory> {
    let store = Directory::shared(&place.store)?;
    // Earlier versions left the store readable by others; only entries of ours are closed.
    let _ = store.make_private(|name| is_unique_name(name) || name == RECEIPTS || name == LOGS);
    let repository = Directory::create(&place.repository)?;
    if place.store.starts_with(root) && repository.entry(IGNORE_FILE).is_none() {
        // Who keeps the store in the repository does not want to commit it. The directory around may hold other files.
        let _ = repository.replace(IGNORE_FILE, b"*\n");
    }
    let tree = Directory::create(&place.tree)?;
    let bytes = root.as_os_str().as_encoded_bytes();
    let signed = tree.read(ROOT_FILE, MAX_ROOT_BYTES);
    if !signed.is_ok_and(|signed| signed.as_deref() == Some(bytes)) {
        let _ = tree.replace(ROOT_FILE, bytes);
    }
    if let Some(id) = id {
        let _ = tree.replace(TREE_FILE, id);
    }
    Ok(tree)
}

/// The id of the stored tree that a directory belongs to; `None` for one of a working tree.
pub(crate) fn stored_tree_of(tree: &Path) -> Option<Vec<u8>> {
    Directory::open(tree).ok()?.read(TREE_FILE, MAX_ID_BYTES).ok()?
}

/// When a stored tree was last used.
pub(crate) fn last_use(tree: &Path) -> Option<SystemTime> {
    tree.join(TREE_FILE).metadata().ok()?.modified().ok()
}

/// Records that a stored tree is used now.
pub(crate) fn record_use(tree: &Path) {
    let file = Directory::open(tree).and_then(|tree| tree.file(TREE_FILE, Access::Write));
    // If that fails, it may be removed earlier than others.
    let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
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
            fs::metadata(name).ok()
        })
        .map(|metadata| metadata.len())
        .sum()
}

/// Removes a directory tree through its parent, so that nothing behind a symbolic link is removed.
pub(crate) fn remove_directory(path: &Path) -> io::Result<()> {
    let around = Directory::shared(path.parent().unwrap_or(path))?;
    let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| around.descriptor_path(name));
    fs::remove_dir_all(name.as_deref().unwrap_or(path))
}

/// The subdirectories with names in the store's format, sorted; none if the directory does not exist.
pub(crate) fn directories(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() && entry.file_name().to_str().is_some_and(is_unique_name) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// The size of the files in a directory.
pub(crate) fn bytes_of_directory(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
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
