//! Opening: which tree, which settings, which store.

use crate::change_log::Steps;
use crate::file_classifier::Languages;
use crate::in_memory_index::{Loan, Memory};
use crate::query::outline_cache::Outlines;
use crate::query::search::Corpora;
use crate::refresh::graph::resolve_files::Resolution;
use crate::refresh::pending_facts::Carrying;
use crate::remote_embeddings::Others;
use crate::store_paths::{self, Place};
use crate::{EngineError, Snapshot};
use orient_safefs::Directory;
use orient_settings::Settings;
use orient_store::{ConnectionPool, StoreError};
use orient_walk::{Repo, WalkOptions, check_root, from_native};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// How often a user must insist before a folder is indexed that nobody means to index.
const INSISTING: u8 = 2;

/// How many processors there are: telling takes a look at a dozen files.
static PROCESSORS: OnceLock<usize> = OnceLock::new();

/// How to open an engine.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// How often the user insisted; twice opens what is refused otherwise.
    pub force: u8,
    /// The folder of all stores, in place of what the settings say.
    pub store: Option<PathBuf>,
}

/// The index of one tree. Cheap to open; nothing is read or written before it is asked to.
pub struct Engine {
    pub(crate) repo: Repo,
    pub(crate) settings: Settings,
    pub(crate) place: Place,
    pub(crate) languages: Languages,
    pub(crate) memory: Memory,
    pub(crate) resolution: Resolution,
    pub(crate) steps: Steps,
    pub(crate) carrying: Carrying,
    pub(crate) corpora: Corpora,
    pub(crate) outlines: Outlines,
    pub(crate) readers: ConnectionPool,
    pub(crate) others: Others,
    /// Stands for the settings a listing depends on, once somebody asked.
    pub(crate) sheet_key: OnceLock<[u8; 16]>,
}

impl Engine {
    /// Opens the index of the repository or folder that `start` lies in.
    pub fn open(start: &Path, settings: Settings, options: &OpenOptions) -> Result<Self, EngineError> {
        let repo = Repo::find(start)?;
        if options.force < INSISTING {
            check_root(&repo.root)?;
        }
        let place = Place::resolve(&repo, &settings, options.store.as_deref())?;
        let languages = Languages::new(&settings)?;
        let steps = Steps::default();
        Ok(Self {
            repo,
            settings,
            place,
            languages,
            memory: Memory::default(),
            resolution: Resolution::default(),
            corpora: Corpora::new(&steps),
            outlines: Outlines::new(&steps),
            steps,
            carrying: Carrying::default(),
            readers: ConnectionPool::default(),
            others: Others::default(),
            sheet_key: OnceLock::new(),
        })
    }

    /// The top of the tree.
    pub fn root(&self) -> &Path {
        &self.repo.root
    }

    /// Where the index is kept.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The folder of this tree in the store, made where it is missing. It notes whose it is, for `gc`.
    pub fn own_folder(&self) -> Result<Directory, EngineError> {
        store_paths::own_folder(&self.place, &self.repo.root).map_err(|error| {
            let reason = orient_store::why_unusable(&error);
            StoreError::Unusable { path: self.place.tree.clone(), reason }.into()
        })
    }

    /// What is in the index now, as one generation that never changes. While the index is held in memory, a second
    /// snapshot waits until the first is dropped.
    pub fn snapshot(&self) -> Result<Snapshot, EngineError> {
        let loan = match self.memory.borrow() {
            Some(loan) => loan,
            None => match self.readers.open(&self.place.index()) {
                Ok(snapshot) => {
                    if self.readers.take_replaced() {
                        self.forget();
                    }
                    Loan::of_file(snapshot)
                }
                Err(StoreError::Missing { .. }) => return Err(EngineError::NotIndexed),
                Err(error) => return Err(error.into()),
            },
        };
        Ok(Snapshot::new(loan, self))
    }

    /// What the settings leave out, for a search: each in the syntax of a `.gitignore` line.
    pub fn excludes(&self) -> Vec<String> {
        let mut excludes = self.settings.index.exclude.clone();
        // A store inside the tree is no part of it.
        for folder in [&self.place.store, &self.place.repository] {
            let inside = from_native(&self.repo.root, folder).filter(|path| !path.as_bytes().is_empty());
            excludes.extend(inside.map(|path| format!("/{}/", escaped(&path.display()))));
        }
        excludes
    }

    /// Stands for all that the index of this tree follows from beside its files: the tree as it is seen from here, the
    /// settings, the version. None where that cannot be told.
    #[cfg(target_os = "linux")]
    pub fn view(&self) -> Option<[u8; 32]> {
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
        part(&self.sheet_key());
        for number in [root.dev(), root.ino(), self.languages.fingerprint(), self.languages.resolver()] {
            part(&number.to_le_bytes());
        }
        for source in orient_walk::global_rule_files() {
            part(source.as_os_str().as_encoded_bytes());
        }
        Some(*hash.finalize().as_bytes())
    }

    /// Begins on another thread what whoever asks about freshness will wait for.
    pub fn prepare(self: &Arc<Self>) {
        if !self.languages.are_counted() {
            let engine = self.clone();
            let count = move || (engine.languages.fingerprint(), engine.languages.resolver());
            // Without a thread it is done when it is needed.
            let _ = std::thread::Builder::new().spawn(count);
        }
    }

    /// How many threads to use.
    pub fn threads(&self) -> usize {
        match self.settings.index.threads {
            0 => *PROCESSORS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from)),
            threads => threads,
        }
    }

    /// How to walk.
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

/// A path as a pattern that matches it alone.
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
