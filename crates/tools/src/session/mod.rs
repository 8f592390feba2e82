//! The session of one call: effective settings, engine, and an up-to-date snapshot.

pub(crate) mod client_id;
pub(crate) mod open_tree;
pub(crate) mod provider_embedding;
pub(crate) mod provisional_answer;
pub(crate) mod query_embedding;
pub(crate) mod revision;

use crate::answer::completeness::{Question, doubts};
use crate::answer::unread_files::AnswerScope;
use crate::answer::{Answer, AnswerMetadata, Cause, Doubt, Freshness, Note};
use crate::error::ToolError;
use crate::narrative::ClientModel;
use crate::session::client_id::COMMAND_LINE;
use crate::session::open_tree::OpenTree;
use crate::session::provisional_answer::ProvisionalState;
use crate::session::query_embedding::ProviderState;
use crate::session::revision::{AnsweredRevision, RevisionEngines};
use crate::text::number_format::{duration, plural};
use crate::workspace::RootName;
use orient_engine::{
    Cancel, Engine, EngineError, Freshness as _, FullScan, GcOptions, OpenOptions, PathKind, Progress,
    RebuildReason, RefreshDepth, RefreshMode, RefreshOptions, RefreshReport, Repo, SeedSource, Snapshot,
    StoreError, TreeReader,
};
use orient_live::WatcherClient;
use orient_model::RepoPath;
use orient_settings::{Loaded, Override};
use std::cell::{Cell, OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum wait for another process that is indexing, before the call answers from the current index.
const BUSY_WAIT: Duration = Duration::from_secs(5);

/// Maximum wait of a server for another process that rebuilds a damaged index, or makes that of a commit.
const REBUILD_WAIT: Duration = Duration::from_mins(1);

/// How long a command waits for another process that builds the first index, before it answers from what it reads itself.
const FIRST_INDEX_WAIT: Duration = Duration::from_secs(20);

/// The note of an answer from an empty index.
const NO_FILES: &str = "no files found: the directory is empty, or .gitignore, .ignore, .orientignore or index.exclude \
exclude everything";

/// The tree to work on, and how.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// A directory or file of the repository.
    pub start: PathBuf,
    /// The directory that relative paths in arguments start from; the root is tried next.
    pub directory: PathBuf,
    /// Settings of the caller.
    pub overrides: Vec<Override>,
    /// How often the user passed `--force`.
    pub force: u8,
    /// Whether to refresh the index before answering.
    pub refresh: bool,
}

/// The session of one call. Opens the engine and the index when they are first needed.
pub struct Session<'p> {
    options: SessionOptions,
    root: PathBuf,
    loaded: Arc<Loaded>,
    progress: &'p dyn Progress,
    cancel: &'p Cancel,
    engine: OnceCell<Arc<Engine>>,
    freshness: Arc<dyn orient_engine::Freshness>,
    provider_state: Arc<ProviderState>,
    /// Engines of commits that calls share.
    revisions: Arc<RevisionEngines>,
    /// The revision that answers describe, if it is not the working tree.
    revision: Option<AnsweredRevision>,
    refreshed: RefCell<Option<RefreshReport>>,
    /// Number of files compared with the index because no watcher could vouch for them.
    files_checked: Cell<usize>,
    depth: Cell<RefreshDepth>,
    /// Whether to wait for a first index as long as it takes. A server has other calls to answer.
    interactive: bool,
    asked: Option<Instant>,
    /// The program that asks, which tasks belong to.
    client: String,
    /// The model that the program offers to write texts.
    client_model: Option<Arc<dyn ClientModel>>,
    /// Its name among the roots of a workspace.
    pub(crate) root_name: Option<RootName>,
    /// The sessions of the other roots of a workspace.
    pub(crate) peers: Vec<Self>,
    /// Whether a name means a symbol of this root, never one of the other roots.
    pub(crate) only_own_symbols: bool,
    /// What no answer has, for example roots that are not ready.
    pub(crate) left_out: Vec<String>,
    provisional: ProvisionalState,
}

impl<'p> Session<'p> {
    /// Opens a session for a command: finds the repository and reads the settings. Nothing is indexed yet.
    pub fn open(
        options: SessionOptions,
        progress: &'p dyn Progress,
        cancel: &'p Cancel,
    ) -> Result<Self, ToolError> {
        let root = Repo::find(&options.start).map_err(EngineError::from)?.root;
        let loaded = Arc::new(open_tree::load_settings(&options)?);
        let (engine, refreshed) = (OnceCell::new(), RefCell::new(None));
        Ok(Self {
            options,
            root,
            loaded,
            progress,
            cancel,
            engine,
            freshness: Arc::new(WatcherClient),
            provider_state: Arc::default(),
            revisions: Arc::default(),
            revision: None,
            refreshed,
            files_checked: Cell::default(),
            depth: Cell::default(),
            interactive: true,
            asked: None,
            client: COMMAND_LINE.to_owned(),
            client_model: None,
            root_name: None,
            peers: Vec::new(),
            only_own_symbols: false,
            left_out: Vec::new(),
            provisional: ProvisionalState::default(),
        })
    }

    /// Opens a session for a command on these directories, and on the others of the workspace that the user's settings name.
    pub fn open_workspace(
        options: &SessionOptions,
        others: &[PathBuf],
        progress: &'p dyn Progress,
        cancel: &'p Cancel,
    ) -> Result<Self, ToolError> {
        let open = |start: &Path| {
            Self::open(SessionOptions { start: start.to_owned(), ..options.clone() }, progress, cancel)
        };
        let session = open(&options.start)?;
        let stated = open_tree::workspace_of(&session.root, &session.loaded);
        let others = if others.is_empty() { stated.as_slice() } else { others };
        let others = others.iter().map(|start| open(start)).collect::<Result<_, _>>()?;
        session.join(others)
    }

    /// A session for one call on an open tree.
    pub fn for_tree(tree: &OpenTree, progress: &'p dyn Progress, cancel: &'p Cancel) -> Self {
        Self {
            options: tree.options.clone(),
            root: tree.root().to_owned(),
            loaded: tree.loaded.clone(),
            progress,
            cancel,
            engine: OnceCell::from(tree.engine.clone()),
            freshness: tree.freshness.clone(),
            provider_state: tree.provider_state.clone(),
            revisions: tree.revisions.clone(),
            revision: None,
            refreshed: RefCell::new(None),
            files_checked: Cell::default(),
            depth: Cell::default(),
            interactive: false,
            asked: None,
            client: COMMAND_LINE.to_owned(),
            client_model: None,
            root_name: None,
            peers: Vec::new(),
            only_own_symbols: false,
            left_out: Vec::new(),
            provisional: ProvisionalState::default(),
        }
    }

    /// Whether roots have names, which paths are shown below.
    pub fn is_workspace(&self) -> bool {
        self.root_name.is_some()
    }

    /// This session and those of the other roots.
    pub(crate) fn roots(&self) -> Vec<&Self> {
        std::iter::once(self).chain(&self.peers).collect()
    }

    /// The name of its root in a workspace; empty without one.
    pub(crate) fn root_name(&self) -> &str {
        self.root_name.as_ref().map_or("", RootName::own)
    }

    /// A path or handle as it is in this root; `None` if it names another root of the workspace.
    pub(crate) fn own_text<'t>(&self, typed: &'t str) -> Option<&'t str> {
        self.root_name.as_ref().map_or(Some(typed), |name| name.strip(typed))
    }

    /// The same; a handle of another root is looked up as it is typed, and not found.
    pub(crate) fn own_name<'t>(&self, typed: &'t str) -> &'t str {
        self.own_symbol(typed).unwrap_or(typed)
    }

    /// A name or handle as it is in this root; `None` if it names another root. A symbol may be called like a root.
    pub(crate) fn own_symbol<'t>(&self, typed: &'t str) -> Option<&'t str> {
        if typed.contains('/') { self.own_text(typed) } else { Some(typed) }
    }

    /// The same session for a call that arrived earlier and waited in a queue.
    #[must_use]
    pub fn asked_at(self, asked: Instant) -> Self {
        Self { asked: Some(asked), ..self }
    }

    /// The same session for a program that asks.
    #[must_use]
    pub fn for_client(self, client: String) -> Self {
        Self { client, ..self }
    }

    /// The same session for a program that offers a model.
    #[must_use]
    pub fn with_client_model(self, client_model: Option<Arc<dyn ClientModel>>) -> Self {
        Self { client_model, ..self }
    }

    /// The same session, whose answers are partial for these reasons.
    #[must_use]
    pub fn leaving_out(self, left_out: Vec<String>) -> Self {
        Self { left_out, ..self }
    }

    /// What no answer has.
    pub(crate) fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// The model that the program that asks offers.
    pub(crate) fn client_model(&self) -> Option<&dyn ClientModel> {
        self.client_model.as_deref()
    }

    /// The engine, if there are tasks that what is printed may be evidence for.
    pub fn engine_of_tasks(&self) -> Option<Arc<Engine>> {
        let engine = self.shared_engine().ok()?;
        engine.store_paths().tasks().exists().then_some(engine)
    }

    /// The program that asks.
    pub fn client(&self) -> &str {
        &self.client
    }

    /// The root of the tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directories that relative paths may start from, in order of precedence.
    pub(crate) fn directories(&self) -> [&Path; 3] {
        [&self.options.directory, &self.options.start, &self.root]
    }

    /// The effective settings and their origins.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// The directory of this tree's index.
    pub(crate) fn store(&self) -> Result<String, ToolError> {
        Ok(self.engine()?.store_paths().tree.display().to_string())
    }

    /// The tree's directory in a store outside the repository, so that only the user can have written it. Created if
    /// `create` is set.
    pub(crate) fn private_directory(&self, create: bool) -> Result<PathBuf, ToolError> {
        let inside = self.engine()?.store_paths().store.starts_with(&self.root);
        let store = match orient_settings::store_root() {
            None if inside => return Err(EngineError::NoStore.into()),
            store => store.filter(|_| inside),
        };
        let options = OpenOptions { force: self.options.force, store };
        let engine = Engine::open(&self.options.start, self.loaded.settings.clone(), &options)?;
        if create {
            engine.own_directory()?;
        }
        Ok(engine.store_paths().tree.clone())
    }

    /// The answer of the watcher of this tree to a command; `None` if there is no watcher that answers it.
    pub fn forward(&self, command: impl FnOnce() -> Option<Vec<u8>>) -> Option<Vec<u8>> {
        orient_live::forward_command(self.engine().ok()?, command)
    }

    /// The flag that cancels long work.
    pub(crate) fn cancel(&self) -> &Cancel {
        self.cancel
    }

    /// Receives the progress of long work.
    pub(crate) fn progress(&self) -> &dyn Progress {
        self.progress
    }

    /// The state of the embedding provider that calls share.
    pub(crate) fn provider_state(&self) -> &ProviderState {
        &self.provider_state
    }

    /// Refreshes or rebuilds the index, even with `--no-refresh`. Waits for another process that writes it.
    pub(crate) fn index(&self, rebuild: bool) -> Result<RefreshReport, ToolError> {
        let mode = if rebuild { RefreshMode::Rebuild } else { RefreshMode::CatchUp };
        let refresh = if self.interactive {
            // The report must describe the files themselves, not what a watcher knows.
            FullScan.catch_up(
                self.engine()?,
                &self.options(mode, RefreshDepth::Graph, None),
                self.progress,
            )?
        } else {
            self.refresh(mode, RefreshDepth::Graph, None)?
        };
        match self.engine()?.renew_vectors(self.cancel, self.progress) {
            // Search works without these vectors, and says so.
            Ok(_) | Err(EngineError::Busy { .. } | EngineError::Store(StoreError::Unusable { .. })) => {}
            Err(error) => return Err(error.into()),
        }
        self.refreshed.replace(Some(refresh.clone()));
        Ok(refresh)
    }

    /// Sets how much of the index this call needs; the graph by default.
    pub(crate) fn set_depth(&self, depth: RefreshDepth) {
        self.depth.set(depth);
    }

    /// A snapshot of the index, refreshed once unless `--no-refresh` is set.
    pub(crate) fn snapshot(&self) -> Result<Snapshot, ToolError> {
        if let Some(snapshot) = self.provisional_snapshot() {
            return Ok(snapshot?);
        }
        let depth = self.depth.get();
        let is_sufficient = |refresh: &RefreshReport| refresh.owed == 0 || depth == RefreshDepth::Facts;
        if self.options.refresh && !self.refreshed.borrow().as_ref().is_some_and(is_sufficient) {
            // The index of a commit that another call is making does not answer anything yet.
            let wait = if self.revision.is_some() { REBUILD_WAIT } else { BUSY_WAIT };
            let refresh = match self.refresh(RefreshMode::CatchUp, depth, Some(wait)) {
                Err(EngineError::Busy { .. }) if let Some(progress) = self.awaited_progress() => {
                    return self.index_provisionally(&progress);
                }
                // Without a first index there is little to answer from.
                Err(EngineError::Busy { .. }) if self.interactive => {
                    let wait = if self.may_be_provisional() { FIRST_INDEX_WAIT } else { Duration::MAX };
                    match self.refresh(RefreshMode::CatchUp, depth, Some(wait)) {
                        Err(EngineError::Busy { holder, .. }) if self.may_be_provisional() => {
                            let holder = holder.map_or_else(String::new, |holder| format!(" {holder}"));
                            return self.index_provisionally(&format!("by process{holder}"));
                        }
                        refresh => refresh,
                    }
                }
                refresh => refresh,
            }?;
            if !refresh.in_memory && self.revision.is_none() {
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

    /// The generation of the index after a refresh, for a caller that keeps answers of a generation.
    pub fn generation(&self) -> Result<u64, ToolError> {
        Ok(self.snapshot()?.generation())
    }

    /// Number of changed files that the index does not contain yet, as far as this session has refreshed it.
    pub fn pending_count(&self) -> usize {
        self.refreshed.borrow().as_ref().map_or(0, |refresh| refresh.pending.len())
    }

    /// Rebuilds the index if this process found it damaged; returns whether it did.
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

    /// The note about damage that was repaired for this call.
    pub(crate) fn damage_note(&self) -> Option<String> {
        match &self.refreshed.borrow().as_ref()?.rebuilt {
            Some(RebuildReason::Damaged(detail)) => Some(damage_note_text(detail)),
            _ => None,
        }
    }

    /// Whether the caller should start a watcher for later commands: this one compared more files than `watch.from`. Of
    /// several callers at once, only one gets `true`.
    pub fn should_start_watcher(&self) -> bool {
        let min_files = self.loaded.settings.watch.min_files;
        min_files > 0
            && self.files_checked.get() >= min_files
            && self.engine().is_ok_and(orient_live::should_spawn_daemon)
    }

    /// A snapshot of the index without a refresh; `None` if there is no readable index.
    pub(crate) fn snapshot_without_refresh(&self) -> Result<Option<Snapshot>, ToolError> {
        Ok(self.engine()?.snapshot().ok())
    }

    /// Collects garbage in the whole store. Works in any directory.
    pub(crate) fn collect_garbage(&self, options: GcOptions) -> Result<orient_engine::GcReport, ToolError> {
        let anywhere = OpenOptions { force: u8::MAX, store: None };
        let engine = Engine::open(&self.options.start, self.loaded.settings.clone(), &anywhere)?;
        Ok(engine.gc(options)?)
    }

    /// An answer that depends on the whole tree, with the freshness and the notes of this session. Unread files make it
    /// partial.
    pub(crate) fn answer<T>(&self, snapshot: &Snapshot, data: T) -> Answer<T> {
        self.answer_within(snapshot, AnswerScope::Tree, data)
    }

    /// An answer that depends on a part of the tree.
    pub(crate) fn answer_within<T>(&self, snapshot: &Snapshot, scope: AnswerScope<'_>, data: T) -> Answer<T> {
        Answer { data, metadata: self.metadata_within(snapshot, scope) }
    }

    fn metadata_within(&self, snapshot: &Snapshot, scope: AnswerScope<'_>) -> AnswerMetadata {
        let mut metadata = self.fresh_metadata(snapshot);
        metadata.add_doubts(doubts(snapshot, &Question::Files(scope)).unwrap_or_else(|error| {
            let text = format!("what was not read is unknown: {}", error.message());
            vec![Doubt::new(Cause::Unread, 1, text)]
        }));
        metadata
    }

    /// An answer to a question, partial if something could change it that was not read or not understood.
    pub(crate) fn answer_about<T>(
        &self,
        snapshot: &Snapshot,
        question: &Question<'_>,
        data: T,
    ) -> Result<Answer<T>, ToolError> {
        let mut metadata = self.fresh_metadata(snapshot);
        metadata.add_doubts(doubts(snapshot, question)?);
        Ok(Answer { data, metadata })
    }

    fn fresh_metadata(&self, snapshot: &Snapshot) -> AnswerMetadata {
        let refreshed = self.refreshed.borrow();
        if self.is_provisional() {
            return AnswerMetadata::from_index(Freshness::new(snapshot.generation(), [].into_iter()));
        }
        let Some(refresh) = &*refreshed else {
            let freshness =
                Freshness { checked: false, ..Freshness::new(snapshot.generation(), [].into_iter()) };
            let mut metadata = AnswerMetadata::from_index(freshness);
            let note = Note::from("answered from the index without checking the files").see("no_refresh");
            metadata.notes.push(note);
            metadata.add_doubts(unresolved_files(snapshot).into_iter().collect());
            return metadata;
        };
        let pending = refresh.pending.iter().map(|path| path.display().into_owned());
        let mut metadata = AnswerMetadata::from_index(Freshness::new(snapshot.generation(), pending));
        metadata.notes.extend(notes(refresh, self.revision.is_none()).into_iter().map(Note::from));
        if snapshot.is_empty().unwrap_or(false) {
            metadata.notes.push(NO_FILES.into());
        }
        if self.depth.get() == RefreshDepth::Graph {
            metadata.add_doubts(unresolved_files(snapshot).into_iter().collect());
        }
        metadata
    }

    /// Adds what this session did for an answer: repair, settings, the revision.
    pub(crate) fn complete_metadata(&self, metadata: &mut AnswerMetadata) {
        let is_new = |note: &String| metadata.notes.iter().all(|known| known.text != *note);
        let damage = self.damage_note().filter(is_new);
        metadata.notes.extend(damage.map(Note::from));
        metadata.notes.extend(self.loaded.notes.iter().cloned().map(Note::from));
        metadata.at = self.revision().cloned();
    }

    /// The directory the call starts from.
    pub(crate) fn base(&self) -> PathBuf {
        let start = &self.options.start;
        let directory = if start.is_dir() { Some(start.as_path()) } else { start.parent() };
        directory.unwrap_or(&self.root).to_owned()
    }

    /// The patterns that the settings exclude from a search.
    pub(crate) fn excludes(&self) -> Result<Vec<String>, ToolError> {
        Ok(self.engine()?.excludes())
    }

    /// The files of the tree, for reading.
    pub(crate) fn reader(&self) -> Result<Box<dyn TreeReader>, ToolError> {
        Ok(self.engine()?.tree().open().map_err(EngineError::from)?)
    }

    /// What is at a path of the tree, ignored or not.
    pub(crate) fn path_kind(&self, path: &RepoPath) -> Option<PathKind> {
        self.engine().ok()?.tree().kind(path)
    }

    /// Number of threads to use.
    pub(crate) fn threads(&self) -> Result<usize, ToolError> {
        Ok(self.engine()?.threads())
    }

    /// Changed paths that the index does not contain yet.
    pub(crate) fn pending(&self) -> Vec<RepoPath> {
        self.refreshed.borrow().as_ref().map_or_else(Vec::new, |refresh| refresh.pending.clone())
    }

    /// Whether the stored list of files is valid: it was compared with the tree, or no refresh was requested.
    pub(crate) fn remembered(&self) -> bool {
        self.refreshed.borrow().as_ref().is_none_or(|refresh| refresh.manifest_current)
    }

    /// Whether the last refresh kept its changes in memory because the store cannot be written.
    pub(crate) fn in_memory(&self) -> bool {
        self.refreshed.borrow().as_ref().is_some_and(|refresh| refresh.in_memory)
    }

    /// The engine, opened on first use.
    pub fn engine(&self) -> Result<&Engine, EngineError> {
        self.opened().map(Arc::as_ref)
    }

    /// The engine, for work that outlives the session.
    pub(crate) fn shared_engine(&self) -> Result<Arc<Engine>, EngineError> {
        self.opened().cloned()
    }

    fn opened(&self) -> Result<&Arc<Engine>, EngineError> {
        if let Some(engine) = self.engine.get() {
            return Ok(engine);
        }
        let engine = open_tree::open_engine(&self.options, &self.loaded.settings)?;
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
        // A server must not keep changes in memory that are meant for one answer.
        let in_memory_if_stuck = self.interactive && wait.is_some();
        RefreshOptions { mode, depth, wait, asked, cancel, in_memory_if_stuck, ..RefreshOptions::default() }
    }
}

/// The note about a damaged index.
fn damage_note_text(detail: &str) -> String {
    format!("the index was damaged ({detail}) and has been rebuilt")
}

/// The doubt about files whose edges describe an earlier state, or nothing yet.
fn unresolved_files(snapshot: &Snapshot) -> Option<Doubt> {
    let files = snapshot.owed();
    let text = format!(
        "{} not been resolved yet; callers and uses in them may be missing",
        plural(files, "file has", "files have")
    );
    (files > 0).then(|| Doubt::new(Cause::Pending, files, text).remedy("ask again"))
}

/// The notes about a refresh; `is_working_tree` is false for the index of a commit.
fn notes(refresh: &RefreshReport, is_working_tree: bool) -> Vec<String> {
    let mut notes = Vec::new();
    match &refresh.rebuilt {
        Some(RebuildReason::Damaged(detail)) => {
            notes.push(damage_note_text(detail));
        }
        Some(RebuildReason::Outdated) => {
            notes.push(
                "the index was built by another version or with other settings, and has been rebuilt".into(),
            );
        }
        Some(RebuildReason::First | RebuildReason::Asked) | None => {}
    }
    // The index of a commit always begins as a copy.
    match refresh.seeded_from.as_ref().filter(|_| is_working_tree) {
        Some(SeedSource::Tree(sibling)) => {
            notes.push(format!("copied from the index of {}", sibling.display()));
        }
        Some(SeedSource::File(file)) => notes.push(format!("started from {}", file.display())),
        Some(SeedSource::Facts(from)) => notes.push(format!("started from the facts of {from}")),
        None => {}
    }
    notes.extend(refresh.note.clone());
    if let Some(holder) = refresh.stuck {
        let instead = if refresh.in_memory {
            "changes are kept in memory for this answer only".to_owned()
        } else {
            format!(
                "this answer does not include {}",
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
             `orient doctor` has details"
        ));
    } else if refresh.busy {
        let files = plural(refresh.pending.len() as u64, "file", "files");
        let waited = duration(refresh.waited);
        notes.push(format!(
            "the index is still being updated ({files} changed); gave up waiting after {waited}"
        ));
    }
    notes
}
