//! What an operation works with: the settings in force, the engine, and a snapshot that has caught up with the files.

use crate::answer::{Answer, Freshness};
use crate::error::{Code, ToolError};
use orient_engine::{
    Cancel, Engine, EngineError, Mode, OpenOptions, Progress, Refresh, RefreshOptions, Snapshot,
};
use orient_settings::{Loaded, Override, Sources};
use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};

/// What to work on, and how.
#[derive(Clone, Debug)]
pub struct Setup {
    /// A folder or file of the repository.
    pub start: PathBuf,
    /// Settings made by whoever asks.
    pub overrides: Vec<Override>,
    /// How often the user insisted on a folder that is refused otherwise.
    pub force: u8,
    /// Whether to catch up with the files before answering.
    pub refresh: bool,
}

/// One question's surroundings. Opens only what the operation needs, when it needs it.
pub struct Session<'p> {
    setup: Setup,
    root: PathBuf,
    loaded: Loaded,
    progress: &'p dyn Progress,
    cancel: &'p Cancel,
    engine: OnceCell<Engine>,
    refreshed: RefCell<Option<Refresh>>,
}

impl<'p> Session<'p> {
    /// Finds the repository and reads the settings; nothing is indexed yet.
    pub fn open(setup: Setup, progress: &'p dyn Progress, cancel: &'p Cancel) -> Result<Self, ToolError> {
        let root = orient_engine::root_of(&setup.start)?;
        let mut sources = Sources::of_machine(&root);
        sources.overrides.clone_from(&setup.overrides);
        let loaded = orient_settings::load(&sources)?;
        let (engine, refreshed) = (OnceCell::new(), RefCell::new(None));
        Ok(Self { setup, root, loaded, progress, cancel, engine, refreshed })
    }

    /// The top of the tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The settings in force and where each comes from.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// The engine of this tree.
    pub fn engine(&self) -> Result<&Engine, ToolError> {
        if let Some(engine) = self.engine.get() {
            return Ok(engine);
        }
        let options = OpenOptions { force: self.setup.force, store: None };
        let engine = Engine::open(&self.setup.start, self.loaded.settings.clone(), &options)?;
        Ok(self.engine.get_or_init(|| engine))
    }

    /// Where the index of this tree is kept.
    pub fn store(&self) -> Result<String, ToolError> {
        Ok(self.engine()?.place().tree.display().to_string())
    }

    /// Catches up with the files, or makes the index anew, whatever the set-up says.
    pub fn index(&self, rebuild: bool) -> Result<std::cell::Ref<'_, Refresh>, ToolError> {
        let mode = if rebuild { Mode::Rebuild } else { Mode::CatchUp };
        let options = RefreshOptions { mode, cancel: self.cancel.clone(), ..RefreshOptions::default() };
        let refresh = self.engine()?.refresh(&options, self.progress)?;
        self.refreshed.replace(Some(refresh));
        Ok(std::cell::Ref::map(self.refreshed.borrow(), |kept| kept.as_ref().expect("kept just now")))
    }

    /// What is in the index, after catching up once unless the set-up says not to.
    pub fn snapshot(&self) -> Result<Snapshot, ToolError> {
        if self.setup.refresh && self.refreshed.borrow().is_none() {
            self.index(false)?;
        }
        Ok(self.engine()?.snapshot()?)
    }

    /// How fresh a snapshot of this session is.
    pub fn freshness(&self, snapshot: &Snapshot) -> Result<Freshness, ToolError> {
        let pending: Vec<String> = match &*self.refreshed.borrow() {
            Some(refresh) => refresh.pending.iter().map(|path| path.display().into_owned()).collect(),
            None => Vec::new(),
        };
        Ok(Freshness::new(snapshot.generation(), pending.into_iter()))
    }

    /// An answer with the freshness of this session.
    pub fn answer<T>(&self, snapshot: &Snapshot, data: T) -> Result<Answer<T>, ToolError> {
        Ok(Answer::from_index(data, self.freshness(snapshot)?))
    }
}

impl From<EngineError> for ToolError {
    fn from(error: EngineError) -> Self {
        let _ = Code::Internal;
        Self::new(Code::Io, error.to_string())
    }
}
