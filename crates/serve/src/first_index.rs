//! The first index of a served tree: its progress, and the gate that keeps queries from waiting for it without a limit.

use orient_engine::{Cancel, Engine, EngineError, Freshness, Phase, Progress, RefreshOptions, RefreshReport};
use orient_tools::{ToolError, count, duration};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a query waits for a refresh in the background before it answers from the index as it is.
const REFRESH_WAIT: Duration = Duration::from_secs(2);

/// Fails a query with `Busy` while there is no index at all; the caller decides how long to wait.
pub(crate) struct FirstIndexGate {
    pub(crate) inner: Arc<dyn Freshness>,
    pub(crate) indexing: Arc<BackgroundIndexing>,
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
        let options = RefreshOptions { wait: Some(REFRESH_WAIT), ..options.clone() };
        self.inner.catch_up(engine, &options, progress)
    }
}

/// The refresh that runs in the background after a server has started.
#[derive(Default)]
pub(crate) struct BackgroundIndexing {
    state: Mutex<IndexingState>,
    ended: Condvar,
}

#[derive(Default)]
struct IndexingState {
    begun: Option<Instant>,
    done: bool,
    phase: Option<Phase>,
    files: u64,
    total: u64,
    failure: Option<String>,
}

/// The progress at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexingProgress {
    pub(crate) files: u64,
    pub(crate) total: u64,
    /// For people: phase, files and time so far.
    pub(crate) description: String,
}

impl BackgroundIndexing {
    fn lock(&self) -> MutexGuard<'_, IndexingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(&self) {
        self.lock().begun = Some(Instant::now());
    }

    pub(crate) fn end(&self, failure: Option<ToolError>) {
        let mut state = self.lock();
        state.done = true;
        state.failure = failure.map(|error| error.message().to_owned());
        self.ended.notify_all();
    }

    /// Whether it is running.
    pub(crate) fn is_running(&self) -> bool {
        let state = self.lock();
        state.begun.is_some() && !state.done
    }

    /// Why it failed, if it did.
    pub(crate) fn failure(&self) -> Option<String> {
        self.lock().failure.clone()
    }

    /// The progress so far.
    pub(crate) fn progress(&self) -> IndexingProgress {
        let state = self.lock();
        let phase = state.phase.map_or("starting", Phase::as_str);
        let time = state.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        let files = match state.total {
            0 => String::new(),
            total => format!(" {} of {} files,", count(state.files), count(total)),
        };
        let description = format!("{phase}{files} {} so far", duration(time));
        IndexingProgress { files: state.files, total: state.total, description }
    }

    /// Waits for its end and reports its progress meanwhile; returns whether it has ended.
    pub(crate) fn wait(
        &self,
        timeout: Duration,
        cancel: &Cancel,
        report: &dyn Fn(&IndexingProgress),
    ) -> bool {
        const POLL: Duration = Duration::from_millis(100);
        let until = Instant::now() + timeout;
        while self.is_running() && Instant::now() < until && !cancel.is_cancelled() {
            report(&self.progress());
            let state = self.lock();
            if !state.done {
                drop(self.ended.wait_timeout(state, POLL));
            }
        }
        !self.is_running()
    }
}

impl Progress for BackgroundIndexing {
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
