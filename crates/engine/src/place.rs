//! Where the index of a tree is kept: `<store>/<repository>-<hash>/{cache.db, <tree>-<hash>/index.db}`.

use crate::EngineError;
use orient_settings::Settings;
use orient_walk::Repo;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The file in a tree's folder that says which tree it is for, so that `gc` can tell when that is gone.
pub(crate) const ROOT_FILE: &str = "root";

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
        let store = store.canonicalize().or_else(|_| std::path::absolute(&store)).unwrap_or(store);
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

/// Notes in the folder of a tree which tree it is for. Where that fails, `gc` leaves the folder alone.
pub(crate) fn sign(place: &Place, root: &Path) {
    let (file, bytes) = (place.tree.join(ROOT_FILE), root.as_os_str().as_encoded_bytes());
    if !std::fs::read(&file).is_ok_and(|signed| signed == bytes) {
        let _ = std::fs::write(file, bytes);
    }
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
    format!("{}-{}", if readable.is_empty() { "tree" } else { readable }, &hash[..8])
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
        assert!(folder.starts_with("shop-") && folder.len() == 13, "{folder}");
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
