//! A tree that a server keeps open between calls.

use crate::error::ToolError;
use crate::remote::published_facts::PublishedFacts;
use crate::session::SessionOptions;
use crate::session::query_embedding::ProviderState;
use crate::session::revision::RevisionEngines;
use orient_engine::{Engine, EngineError, Freshness, OpenOptions, Repo, StoredTree, Tree, check_settings};
use orient_settings::{Loaded, Settings, Sources};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A tree that many calls share: the engine, its settings, and what keeps the index fresh.
#[derive(Clone)]
pub struct OpenTree {
    pub(crate) options: SessionOptions,
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) engine: Arc<Engine>,
    pub(crate) freshness: Arc<dyn Freshness>,
    pub(crate) provider_state: Arc<ProviderState>,
    /// Engines of commits that calls asked about.
    pub(crate) revisions: Arc<RevisionEngines>,
}

impl OpenTree {
    /// Finds the repository, reads the settings and opens the engine; nothing is indexed yet. `freshness` creates what keeps the
    /// index of this engine fresh.
    pub fn open(
        options: SessionOptions,
        freshness: impl FnOnce(&Arc<Engine>, &Loaded) -> Arc<dyn Freshness>,
    ) -> Result<Self, ToolError> {
        let loaded = Arc::new(load_settings(&options)?);
        let engine = Arc::new(open_engine(&options, &loaded.settings)?);
        let freshness = freshness(&engine, &loaded);
        Ok(Self {
            options,
            loaded,
            engine,
            freshness,
            provider_state: Arc::default(),
            revisions: Arc::default(),
        })
    }

    /// Opens a tree that is stored and never changes, below a directory that stands for its root. `settings_file` is the content of
    /// its settings file; empty without one. Nothing is indexed yet.
    pub fn open_stored(
        options: SessionOptions,
        tree: Arc<dyn Tree>,
        settings_file: Vec<u8>,
    ) -> Result<Self, ToolError> {
        let loaded = load_settings_with(&options, Some(settings_file))?;
        let open = OpenOptions { force: options.force, store: None };
        let engine = Engine::open(&options.start, loaded.settings.clone(), &open)?;
        let engine = Arc::new(engine.at(tree, loaded.settings.clone())?);
        Ok(Self::assemble(options, loaded, engine, Arc::new(StoredTree::default())))
    }

    /// The same tree for a caller with options of its own.
    #[must_use]
    pub fn with_options(&self, options: SessionOptions) -> Self {
        Self { options, ..self.clone() }
    }

    /// A tree whose parts are open already.
    pub fn assemble(
        options: SessionOptions,
        loaded: Loaded,
        engine: Arc<Engine>,
        freshness: Arc<dyn Freshness>,
    ) -> Self {
        let loaded = Arc::new(loaded);
        Self { options, loaded, engine, freshness, provider_state: Arc::default(), revisions: Arc::default() }
    }

    /// The tree and how to work on it, as it was opened.
    pub fn options(&self) -> &SessionOptions {
        &self.options
    }

    /// The root of the tree.
    pub fn root(&self) -> &Path {
        self.engine.root()
    }

    /// The engine that all calls share.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The effective settings and their origins.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// The other roots of the workspace that the user's settings name.
    pub fn workspace(&self) -> Vec<PathBuf> {
        workspace_of(self.root(), &self.loaded)
    }
}

/// The other roots of the workspace that the settings name, if the tree is one of it.
pub(crate) fn workspace_of(root: &Path, loaded: &Loaded) -> Vec<PathBuf> {
    let roots = &loaded.settings.workspace.roots;
    let is_own = |stated: &&PathBuf| stated.canonicalize().is_ok_and(|real| real == *root);
    if !roots.iter().any(|stated| is_own(&stated)) {
        return Vec::new();
    }
    roots.iter().filter(|stated| !is_own(stated)).cloned().collect()
}

/// Opens the engine of a working tree. Its first index may start from what the team server of the settings has published.
pub(crate) fn open_engine(options: &SessionOptions, settings: &Settings) -> Result<Engine, EngineError> {
    let open = OpenOptions { force: options.force, store: None };
    let engine = Engine::open(&options.start, settings.clone(), &open)?;
    Ok(match PublishedFacts::of(settings, engine.root().to_owned()) {
        Some(facts) => engine.with_remote_facts(Arc::new(facts)),
        None => engine,
    })
}

/// Loads the settings of a session.
pub(crate) fn load_settings(options: &SessionOptions) -> Result<Loaded, ToolError> {
    load_settings_with(options, None)
}

/// The same with the content of another commit's settings file.
pub(crate) fn load_settings_with(
    options: &SessionOptions,
    repository_file: Option<Vec<u8>>,
) -> Result<Loaded, ToolError> {
    let root = Repo::find(&options.start).map_err(EngineError::from)?.root;
    let mut sources = Sources::detect(&root);
    sources.repository_content = repository_file;
    sources.overrides.clone_from(&options.overrides);
    let check = |settings: &Settings| check_settings(settings).map_err(|error| error.to_string());
    Ok(orient_settings::load(&sources, &check)?)
}
