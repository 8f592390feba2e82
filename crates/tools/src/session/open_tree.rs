//! What a server keeps between questions.

use crate::error::ToolError;
use crate::session::SessionOptions;
use crate::session::query_embedding::ProviderState;
use orient_engine::{Engine, EngineError, Freshness, OpenOptions, Repo, check_settings};
use orient_settings::{Loaded, Settings, Sources};
use std::path::Path;
use std::sync::Arc;

/// One tree, opened once and asked by many: the engine, the settings it was opened with, and who keeps it fresh.
#[derive(Clone)]
pub struct OpenTree {
    pub(crate) setup: SessionOptions,
    pub(crate) loaded: Loaded,
    pub(crate) engine: Arc<Engine>,
    pub(crate) freshness: Arc<dyn Freshness>,
    pub(crate) provider_state: Arc<ProviderState>,
}

impl OpenTree {
    /// Finds the repository, reads the settings and opens the engine; nothing is indexed yet. The freshness is made for the
    /// engine, which it may watch over from now on.
    pub fn open(
        setup: SessionOptions,
        freshness: impl FnOnce(&Arc<Engine>, &Loaded) -> Arc<dyn Freshness>,
    ) -> Result<Self, ToolError> {
        let loaded = load(&setup)?;
        let options = OpenOptions { force: setup.force, store: None };
        let engine = Arc::new(Engine::open(&setup.start, loaded.settings.clone(), &options)?);
        let freshness = freshness(&engine, &loaded);
        Ok(Self { setup, loaded, engine, freshness, provider_state: Arc::default() })
    }

    /// The top of the tree.
    pub fn root(&self) -> &Path {
        self.engine.root()
    }

    /// The engine that all questions share.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The settings in force and where each comes from.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }
}

/// The settings for a set-up.
pub(crate) fn load(setup: &SessionOptions) -> Result<Loaded, ToolError> {
    let root = Repo::find(&setup.start).map_err(EngineError::from)?.root;
    let mut sources = Sources::detect(&root);
    sources.overrides.clone_from(&setup.overrides);
    let check = |settings: &Settings| check_settings(settings).map_err(|error| error.to_string());
    Ok(orient_settings::load(&sources, &check)?)
}
