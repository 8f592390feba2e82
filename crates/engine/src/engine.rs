//! The façade: opens the index of a tree with its settings and its store.

use crate::EngineError;
use crate::compiler_layer::StagedLayer;
use crate::custom_roles::CustomRoles;
use crate::file_classifier::FileClassifier;
use crate::generation_caches::GenerationCaches;
use crate::in_memory_index::InMemoryIndex;
use crate::refresh::{RemoteFacts, ResolverHooks};
use crate::store_paths::{self, StorePaths};
use orient_model::{ContentHash, RepoPath};
use orient_safefs::Directory;
use orient_settings::Settings;
use orient_store::{ConnectionPool, StoreError, TaskStore};
use orient_walk::{Repo, RootDirectory, Tree, WalkOptions, WorkingTree, check_root, from_native};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// How often a user must pass `--force` to index a directory that is refused otherwise.
const REQUIRED_FORCE: u8 = 2;

/// Number of processors. Cached, because the standard library reads several files to determine it.
static PROCESSORS: OnceLock<usize> = OnceLock::new();

/// How to open an engine.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// How often the user passed `--force`; twice opens what is refused otherwise.
    pub force: u8,
    /// The directory of all stores; overrides the settings.
    pub store: Option<PathBuf>,
}

/// The index of one tree. Cheap to open: it reads and writes nothing until it is used.
pub struct Engine {
    pub(crate) repo: Repo,
    /// The files that the index describes.
    pub(crate) tree: Arc<dyn Tree>,
    pub(crate) settings: Settings,
    pub(crate) paths: StorePaths,
    pub(crate) classifier: FileClassifier,
    pub(crate) custom_roles: Arc<CustomRoles>,
    pub(crate) in_memory_index: InMemoryIndex,
    pub(crate) resolver: ResolverHooks,
    pub(crate) caches: Arc<GenerationCaches>,
    pub(crate) readers: ConnectionPool,
    /// A compiler layer that waits for the graph that this engine resolves with it.
    pub(crate) staged_layer: OnceLock<StagedLayer>,
    /// Where the facts of a first index may come from, besides this machine.
    pub(crate) remote_facts: Option<Arc<dyn RemoteFacts>>,
    /// Hash of the settings that a listing depends on; computed on first use.
    pub(crate) manifest_key: OnceLock<[u8; 16]>,
}

impl Engine {
    /// Opens the index of the repository or directory that contains `start`.
    pub fn open(start: &Path, settings: Settings, options: &OpenOptions) -> Result<Self, EngineError> {
        let repo = Repo::find(start)?;
        if options.force < REQUIRED_FORCE {
            check_root(&repo.root)?;
        }
        let paths = StorePaths::resolve(&repo, &settings, options.store.as_deref())?;
        let tree = Arc::new(WorkingTree::new(repo.root.clone()));
        Self::of_tree(repo, tree, paths, settings)
    }

    /// The index of another tree of the same repository, which never changes, such as that of a commit. `settings` are those
    /// that apply to that tree.
    pub fn at(&self, tree: Arc<dyn Tree>, settings: Settings) -> Result<Self, EngineError> {
        let paths = self.paths.of_stored_tree(tree.id().unwrap_or_default());
        Self::of_tree(self.repo.clone(), tree, paths, settings)
    }

    /// The same engine, whose first index may start from facts that another machine has.
    #[must_use]
    pub fn with_remote_facts(self, source: Arc<dyn RemoteFacts>) -> Self {
        Self { remote_facts: Some(source), ..self }
    }

    pub(crate) fn of_tree(
        repo: Repo,
        tree: Arc<dyn Tree>,
        paths: StorePaths,
        settings: Settings,
    ) -> Result<Self, EngineError> {
        let classifier = FileClassifier::new(&settings)?;
        let custom_roles = Arc::new(CustomRoles::new(&settings)?);
        Ok(Self {
            repo,
            tree,
            settings,
            paths,
            classifier,
            custom_roles,
            in_memory_index: InMemoryIndex::default(),
            resolver: ResolverHooks::default(),
            caches: Arc::default(),
            readers: ConnectionPool::default(),
            staged_layer: OnceLock::new(),
            remote_facts: None,
            manifest_key: OnceLock::new(),
        })
    }

    /// The root of the tree.
    pub fn root(&self) -> &Path {
        &self.repo.root
    }

    /// The files that the index describes.
    pub fn tree(&self) -> &Arc<dyn Tree> {
        &self.tree
    }

    /// The paths of the index and the cache.
    pub fn store_paths(&self) -> &StorePaths {
        &self.paths
    }

    /// The directory of this tree in the store, created if missing. It records the tree's root for `gc`.
    pub fn own_directory(&self) -> Result<Directory, EngineError> {
        store_paths::own_directory(&self.paths, self.owner(), self.tree.id()).map_err(|error| {
            let reason = orient_store::unusable_reason(&error);
            StoreError::Unusable { path: self.paths.tree.clone(), reason }.into()
        })
    }

    /// The directory whose removal makes the index garbage: the tree, or the repository for a tree that is stored in it.
    fn owner(&self) -> &Path {
        match (&self.repo.git, self.tree.id()) {
            (Some(git), Some(_)) => &git.common_dir,
            _ => &self.repo.root,
        }
    }

    /// The tasks of this tree; `None` if there are none and `create` is false.
    pub fn tasks(&self, create: bool) -> Result<Option<TaskStore>, EngineError> {
        if create {
            self.own_directory()?;
        }
        Ok(TaskStore::open(&self.paths.tasks(), create)?)
    }

    /// The hash of a file's current content, as the index has it; `None` if it cannot be read.
    pub fn content_hash(&self, path: &RepoPath) -> Option<ContentHash> {
        let root = RootDirectory::open(&self.repo.root).ok()?;
        let mut bytes = Vec::new();
        let file =
            root.open_file(path).ok().filter(|file| file.metadata().is_ok_and(|data| data.is_file()))?;
        file.take(self.settings.index.max_file_size.bytes()).read_to_end(&mut bytes).ok()?;
        let mut short = [0; 16];
        short.copy_from_slice(&blake3::hash(&bytes).as_bytes()[..16]);
        Some(ContentHash(short))
    }

    /// The patterns that the settings exclude, each in `.gitignore` syntax.
    pub fn excludes(&self) -> Vec<String> {
        let mut excludes = self.settings.index.exclude.clone();
        // A store inside the tree is not part of it.
        for directory in [&self.paths.store, &self.paths.repository] {
            let inside = from_native(&self.repo.root, directory).filter(|path| !path.as_bytes().is_empty());
            excludes.extend(inside.map(|path| format!("/{}/", escaped(&path.display()))));
        }
        excludes
    }

    /// Hash of everything besides file contents that determines the index: the tree as this process sees it, the
    /// settings and the version. `None` if it cannot be determined.
    #[cfg(target_os = "linux")]
    pub fn view_hash(&self) -> Option<[u8; 32]> {
        use std::os::unix::fs::MetadataExt;
        let root = self.repo.root.metadata().ok()?;
        let mounts = std::fs::read_link("/proc/self/ns/mnt").ok()?;
        let mut hash = blake3::Hasher::new();
        let mut part = |bytes: &[u8]| {
            hash.update(&(bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        part(self.repo.root.as_os_str().as_encoded_bytes());
        part(mounts.as_os_str().as_encoded_bytes());
        part(&self.manifest_key());
        for number in
            [root.dev(), root.ino(), self.classifier.extraction_version(), self.resolution_version()]
        {
            part(&number.to_le_bytes());
        }
        for source in orient_walk::global_rule_files() {
            part(source.as_os_str().as_encoded_bytes());
        }
        Some(*hash.finalize().as_bytes())
    }

    /// The version of extraction: it changes whenever the same bytes may give different facts.
    pub fn extraction_version(&self) -> u64 {
        self.classifier.extraction_version()
    }

    /// The number of worker threads.
    pub fn threads(&self) -> usize {
        match self.settings.index.threads {
            0 => *PROCESSORS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from)),
            threads => threads,
        }
    }

    /// The options for listing the tree.
    pub(crate) fn walk_options(&self) -> WalkOptions {
        let max_file_size = self.settings.index.max_file_size.bytes();
        WalkOptions {
            max_file_size,
            excludes: self.excludes(),
            kept: crate::extraction::project_files(),
            nested_repositories: self.settings.index.nested_repositories,
            threads: self.threads(),
        }
    }
}

/// Escapes a path so that it matches only itself as a pattern.
fn escaped(path: &str) -> String {
    let mut pattern = String::with_capacity(path.len());
    for c in path.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!' | '#' | ' ') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}
