//! The watcher of one tree: its options, its public interface, and the state that queries and the background thread share.
//!
//! Keeping an index fresh has three parts. The kernel's change notifications say which paths changed ([`WatchState`]). A query
//! reads all pending notifications and refreshes those paths before it answers (`catch_up.rs`). A background thread does the
//! same between queries, and a full scan now and then (`background.rs`).
//!
//! Example: a file is saved at 0 ms, and a query arrives at 10 ms.
//!
//! ```text
//!   0 ms  write(2) of src/a.py returns; the kernel has queued a notification before
//!  10 ms  the query drains the queue: dirty = {src/a.py}; it takes the refresh lock
//!  11 ms  partial refresh of src/a.py: facts written, generation 8; queries for facts go on
//!  25 ms  edges resolved, generation 9; the query answers from it
//!  30 ms  the debounce time of the background thread is over: nothing is dirty, nothing to do
//! 2.0 s   a full scan stores the tree manifest, and finds changes without a notification
//! ```
//!
//! Had the queue overflowed at 0 ms, `dirty` would be everything: the query does a full scan, and the background thread sets
//! all watches again before notifications are trusted.

use crate::background_progress::BackgroundProgress;
use crate::ipc::IpcServer;
use crate::refresh_lock::RefreshLock;
use crate::watch::{Waker, WatchSet};
use crate::watch_limits::Unwatchable;
use crate::watch_state::WatchState;
use orient_engine::{Cancel, Engine, EngineError, Freshness, Progress, RefreshOptions, RefreshReport};
use orient_model::RepoPath;
use orient_timeline::HistoryLimits;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Called after each refresh in the background.
pub type RefreshListener = Arc<dyn Fn(&BackgroundRefresh) + Send + Sync>;

/// How to watch.
#[derive(Clone)]
pub struct WatchOptions {
    /// Debounce time: the background refreshes once nothing has changed for this long.
    pub debounce: Duration,
    /// Upper limit of the debounce time, counted from the first change.
    pub max_debounce: Duration,
    /// Delay before the background starts to work if there is an index: the first query goes first.
    pub startup_delay: Duration,
    /// Delay between a change and the full scan that stores the tree manifest and finds changes without a notification.
    pub full_scan_delay: Duration,
    /// After a query, the background does a full scan if the last one is older than this.
    pub full_scan_interval: Duration,
    /// Maximum number of files that are resolved in one transaction with the change that affects them; the engine's own limit
    /// if absent.
    pub max_resolved_with_change: Option<usize>,
    /// Number of branches beside the one checked out whose files are prefetched while idle.
    pub prefetch_branches: usize,
    /// How much of the history is indexed while idle; nothing if absent.
    pub history: Option<HistoryLimits>,
    /// Called after each refresh in the background.
    pub on_refresh: Option<RefreshListener>,
    /// Whether a command may stop it.
    pub stops_on_request: bool,
}

/// Answers a command that was sent to the watcher; `None` leaves it to the process that sent it.
pub type CommandHandler = Box<dyn Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync>;

impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            debounce: Duration::from_millis(30),
            // Queries do not wait for this. They wait longer if the background works on half of a branch switch.
            max_debounce: Duration::from_millis(1500),
            startup_delay: Duration::from_millis(250),
            full_scan_delay: Duration::from_secs(2),
            full_scan_interval: Duration::from_mins(1),
            max_resolved_with_change: None,
            prefetch_branches: 0,
            history: None,
            on_refresh: None,
            stops_on_request: false,
        }
    }
}

/// The outcome of a refresh in the background.
#[derive(Debug)]
pub struct BackgroundRefresh {
    /// The changed paths in order; `.` is the whole tree.
    pub paths: Vec<RepoPath>,
    /// Time from the first notification until the index was up to date; none without a notification.
    pub lag: Option<Duration>,
    /// What the refresh did.
    pub refresh: Result<RefreshReport, EngineError>,
    /// Why the tree is not watched, if it is not.
    pub unwatched: Option<Unwatchable>,
}

/// Watches one tree and keeps its index fresh. Dropping it stops the background thread.
pub struct Watcher {
    core: Arc<WatcherCore>,
    thread: Option<JoinHandle<()>>,
    ipc: Option<IpcServer>,
}

/// What queries and the background thread share.
pub(crate) struct WatcherCore {
    pub(crate) engine: Arc<Engine>,
    pub(crate) options: WatchOptions,
    pub(crate) waker: Waker,
    pub(crate) stop: Cancel,
    pub(crate) background_progress: BackgroundProgress,
    pub(crate) refresh_lock: RefreshLock,
    /// Answers the commands that are sent to the watcher.
    pub(crate) commands: OnceLock<CommandHandler>,
    stop_requested: AtomicBool,
    state: Mutex<WatchState>,
}

impl Watcher {
    /// Starts to watch. The background thread sets the watches and builds a first index.
    pub fn start(engine: &Arc<Engine>, options: WatchOptions) -> Self {
        let (watch, waker, unwatched) = match WatchSet::open(engine.root()) {
            Ok((watch, waker)) => (Some(watch), waker, None),
            Err(why) => (None, Waker::detached(), Some(why)),
        };
        let core = Arc::new(WatcherCore {
            engine: engine.clone(),
            options,
            waker,
            stop: Cancel::default(),
            background_progress: BackgroundProgress::default(),
            refresh_lock: RefreshLock::default(),
            commands: OnceLock::new(),
            stop_requested: AtomicBool::new(false),
            state: Mutex::new(WatchState::new(watch, unwatched)),
        });
        let background = core.clone();
        let thread = std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || background.run_background())
            .ok();
        let ipc = IpcServer::open(&core);
        Self { core, thread, ipc }
    }

    /// Answers commands from now on. The handler keeps the index fresh through the given interface, which does not own the
    /// watcher: a handler that did would never be dropped.
    pub fn answer_commands(&self, handler: impl FnOnce(Arc<dyn Freshness>) -> CommandHandler) {
        let freshness = Arc::new(WeakFreshness(Arc::downgrade(&self.core)));
        let _ = self.core.commands.set(handler(freshness));
    }

    /// Whether a command asked to stop.
    pub fn is_asked_to_stop(&self) -> bool {
        self.core.stop_requested.load(Ordering::Relaxed)
    }

    /// Why the tree is not watched, if it is not. Every query then does a full scan.
    pub fn unwatched(&self) -> Option<Unwatchable> {
        self.core.state().unwatched.clone()
    }

    /// Time since the last command asked; none if commands cannot ask, because a newer watcher has taken over or the tree is
    /// not watched.
    pub fn idle_time(&self) -> Option<Duration> {
        self.ipc.as_ref().filter(|_| self.unwatched().is_none())?.idle_time()
    }

    /// Whether every directory is watched and a full scan has completed since.
    pub fn is_synced(&self) -> bool {
        self.core.state().synced
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.core.stop.cancel();
        self.core.waker.wake();
        self.ipc = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Freshness for Watcher {
    fn catch_up(
        &self,
        engine: &Engine,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<RefreshReport, EngineError> {
        self.core.catch_up_engine(engine, options, progress)
    }
}

/// Keeps the index fresh as long as the watcher exists, and by full scans afterwards.
struct WeakFreshness(Weak<WatcherCore>);

impl Freshness for WeakFreshness {
    fn catch_up(
        &self,
        engine: &Engine,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<RefreshReport, EngineError> {
        match self.0.upgrade() {
            Some(core) => core.catch_up_engine(engine, options, progress),
            None => engine.refresh(options, progress),
        }
    }
}

impl WatcherCore {
    /// Catches up if the engine is the watched one.
    fn catch_up_engine(
        &self,
        engine: &Engine,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<RefreshReport, EngineError> {
        if !std::ptr::eq(engine, Arc::as_ptr(&self.engine)) {
            return engine.refresh(options, progress);
        }
        let started = Instant::now();
        let refresh = self.catch_up(options, progress)?;
        let note = self.state().pending_note.take();
        Ok(RefreshReport { elapsed: started.elapsed(), note: note.or(refresh.note), ..refresh })
    }

    /// Notes the request to stop; returns whether it will be granted.
    pub(crate) fn request_stop(&self) -> bool {
        self.stop_requested.store(self.options.stops_on_request, Ordering::Relaxed);
        self.options.stops_on_request
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, WatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
