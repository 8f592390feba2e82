//! Where the index of a tree is kept: `<store>/<repository>-<hash>/{cache.db, <tree>-<hash>/index.db}`.

use crate::EngineError;
use orient_safefs::{Directory, resolve_trusted_links};
use orient_settings::Settings;
use orient_walk::Repo;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// The file in a tree's folder that says which tree it is for, so that `gc` can tell when that is gone.
const ROOT_FILE: &str = "root";

/// A path is not longer than that.
const LONGEST_ROOT: u64 = 64 << 10;

/// What set-ups of clients keep beside the stores.
const RECEIPTS: &str = "setup.json";

/// Where servers and watchers keep their logs beside the stores.
const LOGS: &str = "log";

/// How much of the hash of a path is in the name of its folder.
const HASH_LENGTH: usize = 8;

/// The longest part of a name that is kept in front of a hash: long enough to recognise it.
const NAME_LENGTH: usize = 40;

/// The folders of one tree's store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The folder of all stores.
    pub store: PathBuf,
    /// What all working trees of the repository share.
    pub repository: PathBuf,
    /// What belongs to this tree alone.
    pub tree: PathBuf,
}

impl Place {
    pub(crate) const INDEX: &str = "index.db";
    pub(crate) const CACHE: &str = "cache.db";

    /// The place for a repository: `store` where it is given, else what the settings say, else the user's cache.
    pub(crate) fn resolve(
        repo: &Repo,
        settings: &Settings,
        store: Option<&Path>,
    ) -> Result<Self, EngineError> {
        let store = store.map(Path::to_owned).or_else(|| settings.store.dir.clone());
        let store = store.or_else(orient_settings::store_root).ok_or(EngineError::NoStore)?;
        // Links on the way to the store are the user's, unless they came with the repository.
        let store = resolve_trusted_links(&store, &repo.root).unwrap_or(store);
        let shared = repo.git.as_ref().map_or(repo.root.as_path(), |git| git.common_dir.as_path());
        let repository = store.join(keyed(shared_name(shared), shared));
        Ok(Self { tree: Self::tree_folder(&repository, &repo.root), repository, store })
    }

    /// The folder of another tree of the same repository.
    pub(crate) fn tree_folder(repository: &Path, root: &Path) -> PathBuf {
        repository.join(keyed(root.file_name(), root))
    }

    /// The index of this tree.
    pub fn index(&self) -> PathBuf {
        self.tree.join(Self::INDEX)
    }

    /// The facts of all trees of the repository.
    pub fn cache(&self) -> PathBuf {
        self.repository.join(Self::CACHE)
    }
}

/// The folder of a tree, made where it is missing, and closed to others like those around it. It notes which tree it is
/// for; where that fails, `gc` leaves the folder alone.
pub(crate) fn own_folder(place: &Place, root: &Path) -> io::Result<Directory> {
    let store = Directory::shared(&place.store)?;
    // Other versions left it open; what they put there has no other names.
    let _ = store.make_private(|name| is_keyed(name) || name == RECEIPTS || name == LOGS);
    Directory::create(&place.repository)?;
    let tree = Directory::create(&place.tree)?;
    let bytes = root.as_os_str().as_encoded_bytes();
    let signed = tree.read(ROOT_FILE, LONGEST_ROOT);
    if !signed.is_ok_and(|signed| signed.as_deref() == Some(bytes)) {
        let _ = tree.replace(ROOT_FILE, bytes);
    }
    Ok(tree)
}

/// The tree that the folder of one is for, as far as it says.
pub(crate) fn root_of(tree: &Path) -> Option<PathBuf> {
    native(Directory::open(tree).ok()?.read(ROOT_FILE, LONGEST_ROOT).ok()??)
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

/// Whether a name is one that [`keyed`] gives.
pub(crate) fn is_keyed(name: &str) -> bool {
    name.rsplit_once('-').is_some_and(|(readable, hash)| {
        let hex = |c: char| c.is_ascii_digit() || matches!(c, 'a'..='f');
        !readable.is_empty() && hash.len() == HASH_LENGTH && hash.chars().all(hex)
    })
}

/// The name people know a repository by: that of the folder around `.git`, or `name` of a bare `name.git`.
fn shared_name(shared: &Path) -> Option<&OsStr> {
    if shared.file_name() == Some(OsStr::new(".git")) {
        return shared.parent().and_then(Path::file_name);
    }
    shared.file_stem()
}

/// A folder name that is readable, safe everywhere, and differs for different paths.
fn keyed(name: Option<&OsStr>, path: &Path) -> String {
    let name = name.map(OsStr::to_string_lossy).unwrap_or_default();
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let readable: String = name.chars().take(NAME_LENGTH).map(safe).collect();
    let readable = readable.trim_matches('.');
    let hash = blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex();
    format!("{}-{}", if readable.is_empty() { "tree" } else { readable }, &hash[..HASH_LENGTH])
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_walk::GitDirs;

    fn repo(root: &str, common: Option<&str>) -> Repo {
        let dirs = |common: &str| GitDirs { git_dir: common.into(), common_dir: common.into() };
        Repo { root: root.into(), git: common.map(dirs) }
    }

    fn place(repo: &Repo) -> Place {
        Place::resolve(repo, &Settings::default(), Some(Path::new("/s"))).expect("a store is given")
    }

    #[test]
    fn trees_of_one_repository_share_its_folder_and_have_their_own() {
        let main = place(&repo("/w/shop", Some("/w/shop/.git")));
        let side = place(&repo("/w/shop-fix", Some("/w/shop/.git")));
        assert_eq!(main.repository, side.repository);
        assert_ne!(main.tree, side.tree);
        assert!(main.tree.starts_with(&main.repository) && main.repository.starts_with("/s"));
        let folder = main.repository.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(folder.starts_with("shop-") && folder.len() == 13 && is_keyed(&folder), "{folder}");
        assert!(!is_keyed("shop") && !is_keyed("my-notebook") && !is_keyed("-12345678"));
    }

    #[test]
    fn names_are_safe_and_paths_of_the_same_name_differ() {
        assert_ne!(place(&repo("/a/x", None)).repository, place(&repo("/b/x", None)).repository);
        let odd = place(&repo("/a/my project: größe", None));
        let folder = odd.repository.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(folder.starts_with("my_project__gr__e-"), "{folder}");
        let bare = place(&repo("/w/side", Some("/srv/tools.git")));
        assert!(bare.repository.file_name().expect("a name").to_string_lossy().starts_with("tools-"));
        assert!(place(&repo("/", None)).tree.ends_with(keyed(None, Path::new("/"))));
    }
}
