//! What an operation works with: the settings in force, the engine, and a snapshot that has caught up with the files.

pub(crate) mod open_tree;
pub(crate) mod provider_embedding;
pub(crate) mod query_embedding;

use crate::answer::unread_files::{self, AnswerScope};
use crate::answer::{Answer, Freshness};
use crate::error::ToolError;
use crate::session::open_tree::OpenTree;
use crate::session::query_embedding::ProviderState;
use crate::text::number_format::{duration, plural};
use orient_engine::{
    Cancel, Engine, EngineError, Freshness as _, FullScan, GcOptions, OpenOptions, Progress, RebuildReason,
    RefreshDepth, RefreshMode, RefreshOptions, RefreshReport, Repo, Snapshot, StoreError,
};
use orient_live::WatcherClient;
use orient_model::RepoPath;
use orient_settings::{Loaded, Override};
use std::cell::{Cell, OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a question waits for another process that is indexing before it answers from what is there.
const BUSY_WAIT: Duration = Duration::from_secs(5);

/// How long a server waits for another process that makes a damaged index anew.
const REBUILD_WAIT: Duration = Duration::from_mins(1);

/// Said where there is nothing to answer from.
const NO_FILES: &str = "no file was found: the folder is empty, or .gitignore, .ignore, .orientignore or index.exclude \
leave nothing";

/// What to work on, and how.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// A folder or file of the repository.
    pub start: PathBuf,
    /// Where relative paths in arguments hang from, before the root is tried.
    pub folder: PathBuf,
    /// Settings made by whoever asks.
    pub overrides: Vec<Override>,
    /// How often the user insisted on a folder that is refused otherwise.
    pub force: u8,
    /// Whether to catch up with the files before answering.
    pub refresh: bool,
}

/// One question's surroundings. Opens only what the operation needs, when it needs it.
pub struct Session<'p> {
    setup: SessionOptions,
    root: PathBuf,
    loaded: Loaded,
    progress: &'p dyn Progress,
    cancel: &'p Cancel,
    engine: OnceCell<Arc<Engine>>,
    freshness: Arc<dyn orient_engine::Freshness>,
    provider_state: Arc<ProviderState>,
    refreshed: RefCell<Option<RefreshReport>>,
    /// How many files were looked at to answer, where nobody could vouch for them.
    files_checked: Cell<usize>,
    depth: Cell<RefreshDepth>,
    /// Whether to wait for a first index however long it takes; a server has others to answer.
    interactive: bool,
    asked: Option<Instant>,
}

impl<'p> Session<'p> {
    /// Finds the repository and reads the settings; nothing is indexed yet.
    pub fn open(
        setup: SessionOptions,
        progress: &'p dyn Progress,
        cancel: &'p Cancel,
    ) -> Result<Self, ToolError> {
        let root = Repo::find(&setup.start).map_err(EngineError::from)?.root;
        let loaded = open_tree::load(&setup)?;
        let (engine, refreshed) = (OnceCell::new(), RefCell::new(None));
        Ok(Self {
            setup,
            root,
            loaded,
            progress,
            cancel,
            engine,
            freshness: Arc::new(WatcherClient),
            provider_state: Arc::default(),
            refreshed,
            files_checked: Cell::default(),
            depth: Cell::default(),
            interactive: true,
            asked: None,
        })
    }

    /// One question to a tree that stays open.
    pub fn for_tree(host: &OpenTree, progress: &'p dyn Progress, cancel: &'p Cancel) -> Self {
        Self {
            setup: host.setup.clone(),
            root: host.root().to_owned(),
            loaded: host.loaded.clone(),
            progress,
            cancel,
            engine: OnceCell::from(host.engine.clone()),
            freshness: host.freshness.clone(),
            provider_state: host.provider_state.clone(),
            refreshed: RefCell::new(None),
            files_checked: Cell::default(),
            depth: Cell::default(),
            interactive: false,
            asked: None,
        }
    }

    /// The same question, put at a moment that is past: others had to be answered first.
    #[must_use]
    pub fn asked_at(self, asked: Instant) -> Self {
        Self { asked: Some(asked), ..self }
    }

    /// The top of the tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folders relative paths may hang from, the likeliest first.
    pub(crate) fn folders(&self) -> [&Path; 3] {
        [&self.setup.folder, &self.setup.start, &self.root]
    }

    /// The settings in force and where each comes from.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// Where the index of this tree is kept.
    pub(crate) fn store(&self) -> Result<String, ToolError> {
        Ok(self.engine()?.store_paths().tree.display().to_string())
    }

    /// The tree's folder in a store that the repository cannot have brought along: what stands there was put there by this
    /// user. Made where it is missing if something is to be `written`.
    pub(crate) fn private_folder(&self, written: bool) -> Result<PathBuf, ToolError> {
        let inside = self.engine()?.store_paths().store.starts_with(&self.root);
        let store = match orient_settings::store_root() {
            None if inside => return Err(EngineError::NoStore.into()),
            store => store.filter(|_| inside),
        };
        let options = OpenOptions { force: self.setup.force, store };
        let engine = Engine::open(&self.setup.start, self.loaded.settings.clone(), &options)?;
        if written {
            engine.own_folder()?;
        }
        Ok(engine.store_paths().tree.clone())
    }

    /// A flag that ends long work.
    pub(crate) fn cancel(&self) -> &Cancel {
        self.cancel
    }

    /// Told how far long work is.
    pub(crate) fn progress(&self) -> &dyn Progress {
        self.progress
    }

    /// What is kept between questions of what lies outside of this machine.
    pub(crate) fn provider_state(&self) -> &ProviderState {
        &self.provider_state
    }

    /// Catches up with the files, or makes the index anew, whatever the set-up says. Waits for another process.
    pub(crate) fn index(&self, rebuild: bool) -> Result<RefreshReport, ToolError> {
        let mode = if rebuild { RefreshMode::Rebuild } else { RefreshMode::CatchUp };
        let refresh = if self.interactive {
            // What is told of the files is to be seen on them.
            FullScan.catch_up(
                self.engine()?,
                &self.options(mode, RefreshDepth::Graph, None),
                self.progress,
            )?
        } else {
            self.refresh(mode, RefreshDepth::Graph, None)?
        };
        match self.engine()?.renew_vectors(self.cancel, self.progress) {
            // Search goes on without them, and says so.
            Ok(_) | Err(EngineError::Busy { .. } | EngineError::Store(StoreError::Unusable { .. })) => {}
            Err(error) => return Err(error.into()),
        }
        self.refreshed.replace(Some(refresh.clone()));
        Ok(refresh)
    }

    /// How much of the index this question looks at; all of it, unless this says otherwise.
    pub(crate) fn set_depth(&self, depth: RefreshDepth) {
        self.depth.set(depth);
    }

    /// What is in the index, after catching up once unless the set-up says not to.
    pub(crate) fn snapshot(&self) -> Result<Snapshot, ToolError> {
        let depth = self.depth.get();
        let enough = |refresh: &RefreshReport| refresh.owed == 0 || depth == RefreshDepth::Facts;
        if self.setup.refresh && !self.refreshed.borrow().as_ref().is_some_and(enough) {
            let refresh = match self.refresh(RefreshMode::CatchUp, depth, Some(BUSY_WAIT)) {
                // There is nothing to answer from before the first index is there.
                Err(EngineError::Busy { .. }) if self.interactive => {
                    self.refresh(RefreshMode::CatchUp, depth, Some(Duration::MAX))
                }
                refresh => refresh,
            }?;
            if !refresh.in_memory {
                self.files_checked.set(refresh.files_compared());
            }
            self.refreshed.replace(Some(refresh));
        }
        match self.engine()?.snapshot() {
            Err(EngineError::Store(StoreError::Damaged { .. })) if self.rebuild_if_damaged()? => {}
            snapshot => return Ok(snapshot?),
        }
        Ok(self.engine()?.snapshot()?)
    }

    /// Makes the index anew where this process has found it damaged; says whether it had.
    pub(crate) fn rebuild_if_damaged(&self) -> Result<bool, ToolError> {
        let Some(engine) = self.engine.get() else { return Ok(false) };
        let Some(detail) = engine.damage() else { return Ok(false) };
        let wait = (!self.interactive).then_some(REBUILD_WAIT);
        let refresh =
            engine.refresh(&self.options(RefreshMode::CatchUp, self.depth.get(), wait), self.progress)?;
        self.refreshed
            .replace(Some(RefreshReport { rebuilt: Some(RebuildReason::Damaged(detail)), ..refresh }));
        Ok(true)
    }

    /// What to say of damage that was mended for this question.
    pub(crate) fn damage_note(&self) -> Option<String> {
        match &self.refreshed.borrow().as_ref()?.rebuilt {
            Some(RebuildReason::Damaged(detail)) => Some(damage_note_text(detail)),
            _ => None,
        }
    }

    /// Whether whoever asked should start a watcher now, for the questions to come: this one had to look at more files than
    /// the settings put up with. Says so to one of many.
    pub fn should_start_watcher(&self) -> bool {
        let from = self.loaded.settings.watch.from;
        from > 0
            && self.files_checked.get() >= from
            && self.engine().is_ok_and(orient_live::should_spawn_daemon)
    }

    /// What is in the index as it is, without a look at the files; none where there is none that can be read.
    pub(crate) fn snapshot_without_refresh(&self) -> Result<Option<Snapshot>, ToolError> {
        Ok(self.engine()?.snapshot().ok())
    }

    /// Cleans up the whole store. Asks nothing of the folder one stands in, so that it works anywhere.
    pub(crate) fn collect(&self, options: GcOptions) -> Result<orient_engine::GcReport, ToolError> {
        let anywhere = OpenOptions { force: u8::MAX, store: None };
        let engine = Engine::open(&self.setup.start, self.loaded.settings.clone(), &anywhere)?;
        Ok(engine.gc(options)?)
    }

    /// An answer that anything in the tree could have changed, with the freshness of this session, and what happened on
    /// the way to it. What was not read makes it partial.
    pub(crate) fn answer<T>(&self, snapshot: &Snapshot, data: T) -> Answer<T> {
        self.answer_about(snapshot, AnswerScope::Tree, data)
    }

    /// The same for an answer that only a part of the tree could have changed.
    pub(crate) fn answer_about<T>(&self, snapshot: &Snapshot, about: AnswerScope<'_>, data: T) -> Answer<T> {
        let answer = self.fresh_answer(snapshot, data);
        match unread_files::reason(snapshot, about) {
            Some(reason) => answer.partial(reason),
            None => answer,
        }
    }

    fn fresh_answer<T>(&self, snapshot: &Snapshot, data: T) -> Answer<T> {
        let refreshed = self.refreshed.borrow();
        let Some(refresh) = &*refreshed else {
            let freshness =
                Freshness { checked: false, ..Freshness::new(snapshot.generation(), [].into_iter()) };
            let mut answer = Answer::from_index(data, freshness)
                .note("answered from the index as it is, without a look at the files (--no-refresh)");
            if snapshot.owed() > 0 {
                let files = plural(snapshot.owed(), "file has", "files have");
                answer
                    .notes
                    .push(format!("{files} yet to be resolved; callers and uses there may be missing"));
            }
            return answer;
        };
        let pending = refresh.pending.iter().map(|path| path.display().into_owned());
        let mut answer = Answer::from_index(data, Freshness::new(snapshot.generation(), pending));
        answer.notes.extend(notes(refresh));
        if snapshot.is_empty().unwrap_or(false) {
            answer.notes.push(NO_FILES.to_owned());
        }
        answer
    }

    /// The folder the question was asked from.
    pub(crate) fn base(&self) -> PathBuf {
        let start = &self.setup.start;
        let folder = if start.is_dir() { Some(start.as_path()) } else { start.parent() };
        folder.unwrap_or(&self.root).to_owned()
    }

    /// What the settings leave out of a search.
    pub(crate) fn excludes(&self) -> Result<Vec<String>, ToolError> {
        Ok(self.engine()?.excludes())
    }

    /// How many threads to use.
    pub(crate) fn threads(&self) -> Result<usize, ToolError> {
        Ok(self.engine()?.threads())
    }

    /// Paths the index may be wrong about, as far as a look at the files told.
    pub(crate) fn pending(&self) -> Vec<RepoPath> {
        self.refreshed.borrow().as_ref().map_or_else(Vec::new, |refresh| refresh.pending.clone())
    }

    /// Whether what the index remembers of the tree as a whole may be relied on: it was compared with the tree, or
    /// nobody asked for that.
    pub(crate) fn remembered(&self) -> bool {
        self.refreshed.borrow().as_ref().is_none_or(|refresh| refresh.remembered)
    }

    /// Whether the last refresh had to keep the index in memory.
    pub(crate) fn in_memory(&self) -> bool {
        self.refreshed.borrow().as_ref().is_some_and(|refresh| refresh.in_memory)
    }

    /// The engine, opened when it is first needed.
    pub(crate) fn engine(&self) -> Result<&Engine, EngineError> {
        self.opened().map(Arc::as_ref)
    }

    /// The same, for what outlives the question.
    pub(crate) fn shared_engine(&self) -> Result<Arc<Engine>, EngineError> {
        self.opened().cloned()
    }

    fn opened(&self) -> Result<&Arc<Engine>, EngineError> {
        if let Some(engine) = self.engine.get() {
            return Ok(engine);
        }
        let options = OpenOptions { force: self.setup.force, store: None };
        let engine = Engine::open(&self.setup.start, self.loaded.settings.clone(), &options)?;
        Ok(self.engine.get_or_init(|| Arc::new(engine)))
    }

    fn refresh(
        &self,
        mode: RefreshMode,
        depth: RefreshDepth,
        wait: Option<Duration>,
    ) -> Result<RefreshReport, EngineError> {
        self.freshness.catch_up(self.engine()?, &self.options(mode, depth, wait), self.progress)
    }

    fn options(&self, mode: RefreshMode, depth: RefreshDepth, wait: Option<Duration>) -> RefreshOptions {
        let (asked, cancel) = (self.asked, self.cancel.clone());
        // Nothing that is held in memory for one answer may stay in a server.
        let in_memory_if_stuck = self.interactive && wait.is_some();
        RefreshOptions { mode, depth, wait, asked, cancel, in_memory_if_stuck, ..RefreshOptions::default() }
    }
}

/// Said where the index was damaged.
fn damage_note_text(detail: &str) -> String {
    format!("the index was damaged ({detail}) and has been rebuilt")
}

/// What a user should know of how the index came to be what it is.
fn notes(refresh: &RefreshReport) -> Vec<String> {
    let mut notes = Vec::new();
    match &refresh.rebuilt {
        Some(RebuildReason::Damaged(detail)) => {
            notes.push(damage_note_text(detail));
        }
        Some(RebuildReason::Outdated) => {
            notes.push(
                "the index was made by another version or with other settings, and has been made anew".into(),
            );
        }
        Some(RebuildReason::First | RebuildReason::Asked) | None => {}
    }
    if let Some(sibling) = &refresh.seeded_from {
        notes.push(format!("started from the index of {}", sibling.display()));
    }
    notes.extend(refresh.note.clone());
    if let Some(holder) = refresh.stuck {
        let instead = if refresh.in_memory {
            "changes are kept in memory for this answer only".to_owned()
        } else {
            format!(
                "this answer is without {}",
                plural(refresh.pending.len() as u64, "changed file", "changed files")
            )
        };
        notes.push(format!(
            "process {holder} is writing the index and does not respond, so {instead}; continue it with \
             `kill -CONT {holder}`, or end it with `kill -KILL {holder}`"
        ));
    } else if refresh.in_memory {
        let why = refresh.unusable.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
        notes.push(format!(
            "the store cannot be written{why}, so changes are kept in memory for this answer only; \
             `orient doctor` says more"
        ));
    } else if refresh.busy {
        let files = plural(refresh.pending.len() as u64, "file", "files");
        let waited = duration(refresh.waited);
        notes.push(format!(
            "another process is indexing ({files} changed); did not wait longer than {waited}"
        ));
    }
    notes
}
