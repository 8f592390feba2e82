//! A tree that is served: the engine that stays open, and its first index, which is made in the background.

use crate::progress_notifications::ProgressNotifier;
use orient_engine::{Cancel, Engine, EngineError, Freshness, Phase, Progress, RefreshOptions, RefreshReport};
use orient_settings::Loaded;
use orient_tools::{
    BackgroundEmbedding, Code, OpenTree, Session, SessionOptions, ToolError, count, duration,
};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Makes the one who keeps an engine fresh.
pub type FreshnessFactory = Arc<dyn Fn(&Arc<Engine>, &Loaded) -> Arc<dyn Freshness> + Send + Sync>;

/// What to serve.
#[derive(Clone)]
pub struct Options {
    /// The folder and the settings.
    pub setup: SessionOptions,
    /// Whether the folder was chosen by whoever started the server; else a client's root comes first.
    pub chosen: bool,
    /// Which tools to offer: none for the groups, `all`, or names with commas between.
    pub tools: Option<String>,
    /// Who keeps the index fresh.
    pub freshness: FreshnessFactory,
    /// Called by a thread whose work is done: what it keeps for the next may be given back.
    pub rested: fn(),
}

/// How long a question waits for a catch-up that runs in the background before it answers from what is there.
const CATCH_UP_WAIT: Duration = Duration::from_secs(2);
/// How long a question waits for the first index before it says to come again.
const FIRST_INDEX_WAIT: Duration = Duration::from_secs(20);

/// How long the machine is left to the first question where there is an index to answer it from.
const FIRST_TURN: Duration = Duration::from_millis(300);

/// A tree that is served.
pub(crate) struct ServedTree {
    pub(crate) host: OpenTree,
    pub(crate) indexing: Arc<Indexing>,
    cancel: Cancel,
    /// Has the code embedded by a provider, where one was chosen.
    embedding: Mutex<Option<BackgroundEmbedding>>,
}

impl ServedTree {
    /// Opens the tree and starts to bring its index up to date.
    pub(crate) fn open(options: &Options, start: Option<PathBuf>) -> Result<Arc<Self>, ToolError> {
        let mut setup = options.setup.clone();
        if let Some(start) = start {
            setup.folder.clone_from(&start);
            setup.start = start;
        }
        let indexing = Arc::new(Indexing::default());
        let mut freshness = None;
        let host = OpenTree::open(setup, |engine, loaded| {
            let inner = (options.freshness)(engine, loaded);
            freshness = Some(inner.clone());
            Arc::new(FirstIndexGate { inner, indexing: indexing.clone() })
        })?;
        let embedding = if options.setup.refresh { BackgroundEmbedding::start(&host) } else { None };
        let embedding = Mutex::new(embedding);
        let tree = Arc::new(Self { host, indexing, cancel: Cancel::default(), embedding });
        if let Some(freshness) = freshness.filter(|_| options.setup.refresh) {
            tree.start(freshness);
        }
        Ok(tree)
    }

    /// Asks what was put at a moment; while the first index is made, what needs it waits a while and then says how far it
    /// is.
    pub(crate) fn ask<T>(
        &self,
        asked: Instant,
        bridge: &ProgressNotifier,
        cancel: &Cancel,
        ask: impl Fn(&Session<'_>) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let once = || ask(&Session::for_tree(&self.host, bridge, cancel).asked_at(asked));
        match once() {
            Err(error) if error.code() == Code::Busy && self.indexing.is_running() => {}
            asked => return asked,
        }
        if self.indexing.wait(FIRST_INDEX_WAIT, cancel, &|moment| bridge.tell(moment)) {
            return match self.indexing.fault() {
                Some(fault) => Err(ToolError::new(Code::Io, format!("indexing failed: {fault}"))),
                None => once(),
            };
        }
        let message = format!("the first index is being made: {}", self.indexing.moment().words);
        Err(ToolError::new(Code::Busy, message).hint("ask again in a moment; text search answers already"))
    }

    /// Ends work in the background.
    pub(crate) fn close(&self) {
        self.cancel.cancel();
        self.embedding.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Brings the index up to date in the background: at once where there is none, else when the first question has had
    /// its turn.
    fn start(&self, freshness: Arc<dyn Freshness>) {
        let there = self.host.engine().snapshot().is_ok();
        if !there {
            self.indexing.begin();
        }
        let (engine, indexing, cancel) =
            (self.host.engine().clone(), self.indexing.clone(), self.cancel.clone());
        let begun = std::thread::Builder::new().name("first index".to_owned()).spawn(move || {
            if there {
                std::thread::sleep(FIRST_TURN);
                indexing.begin();
            }
            let options = RefreshOptions { cancel, ..RefreshOptions::default() };
            let caught = freshness.catch_up(&engine, &options, &*indexing);
            indexing.end(caught.err().map(ToolError::from));
        });
        if let Err(error) = begun {
            self.indexing.end(Some(ToolError::new(Code::Io, format!("no thread to index with: {error}"))));
        }
    }
}

/// Keeps questions from waiting for the first index: they are told, and can wait in their own way.
struct FirstIndexGate {
    inner: Arc<dyn Freshness>,
    indexing: Arc<Indexing>,
}

impl Freshness for FirstIndexGate {
    fn catch_up(
        &self,
        engine: &Engine,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<RefreshReport, EngineError> {
        if !self.indexing.is_running() {
            return self.inner.catch_up(engine, options, progress);
        }
        if engine.snapshot().is_err() {
            return Err(EngineError::Busy { holder: None, waited: Duration::ZERO });
        }
        let options = RefreshOptions { wait: Some(CATCH_UP_WAIT), ..options.clone() };
        self.inner.catch_up(engine, &options, progress)
    }
}

/// How far the work in the background is.
#[derive(Default)]
pub(crate) struct Indexing {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    begun: Option<Instant>,
    done: bool,
    phase: Option<Phase>,
    files: u64,
    total: u64,
    fault: Option<String>,
}

/// A moment of the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) files: u64,
    pub(crate) total: u64,
    pub(crate) words: String,
}

impl Indexing {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self) {
        self.lock().begun = Some(Instant::now());
    }

    fn end(&self, fault: Option<ToolError>) {
        let mut state = self.lock();
        state.done = true;
        state.fault = fault.map(|error| error.message().to_owned());
        self.ended.notify_all();
    }

    /// Whether it is going on.
    pub(crate) fn is_running(&self) -> bool {
        let state = self.lock();
        state.begun.is_some() && !state.done
    }

    /// Why it failed, if it did.
    pub(crate) fn fault(&self) -> Option<String> {
        self.lock().fault.clone()
    }

    /// How far it is.
    pub(crate) fn moment(&self) -> Moment {
        let state = self.lock();
        let phase = state.phase.map_or("starting", Phase::as_str);
        let time = state.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        let files = match state.total {
            0 => String::new(),
            total => format!(" {} of {} files,", count(state.files), count(total)),
        };
        let words = format!("{phase}{files} {} so far", duration(time));
        Moment { files: state.files, total: state.total, words }
    }

    /// Waits for its end, telling about it; says whether it has ended.
    pub(crate) fn wait(&self, most: Duration, cancel: &Cancel, tell: &dyn Fn(&Moment)) -> bool {
        const STEP: Duration = Duration::from_millis(100);
        let until = Instant::now() + most;
        while self.is_running() && Instant::now() < until && !cancel.is_cancelled() {
            tell(&self.moment());
            let state = self.lock();
            if !state.done {
                drop(self.ended.wait_timeout(state, STEP));
            }
        }
        !self.is_running()
    }
}

impl Progress for Indexing {
    fn phase(&self, phase: Phase, files: u64, _bytes: u64) {
        let mut state = self.lock();
        (state.phase, state.files, state.total) = (Some(phase), 0, files);
    }

    fn tick(&self, files: u64, _bytes: u64) {
        self.lock().files += files;
    }

    fn waiting(&self, _holder: Option<u32>, _waited: Duration) {}

    fn done(&self) {}
}
