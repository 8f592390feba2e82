//! The background thread of a watcher: refreshes the index between queries, so that they find the work done.

use crate::dirty_paths::DirtyPaths;
use crate::watch_limits::Unwatchable;
use crate::watch_state::WatchState;
use crate::watcher::{BackgroundRefresh, WatcherCore};
use orient_engine::{EngineError, RefreshDepth, RefreshOptions, RefreshReport};
use orient_model::RepoPath;
use std::time::{Duration, Instant};

/// Delay after a failure, so that a permanent one costs little.
const RETRY_DELAY: Duration = Duration::from_secs(5);
/// Full scans take at most one part in this many of the time.
const FULL_SCAN_SHARE: u32 = 20;

/// What the background does next.
enum NextTask {
    /// Watch every directory and do a full scan.
    Resync,
    /// Refresh the dirty paths.
    RefreshDirty,
    /// Do a full scan.
    FullScan,
    /// Prefetch the files of other branches, and index the history.
    Prefetch,
    /// Wait for a change or for a time.
    Wait(Option<Duration>),
}

impl WatcherCore {
    /// Works until the watcher stops.
    pub(crate) fn run_background(&self) {
        if self.engine.generation().is_some() {
            self.waker.wait(Some(self.options.startup_delay));
        }
        while !self.stop.is_cancelled() {
            let is_done = match self.next_task() {
                NextTask::Resync => self.resync(),
                NextTask::RefreshDirty => self.refresh_in_background(),
                NextTask::FullScan => self.scan_in_background(),
                NextTask::Prefetch => self.prefetch(),
                NextTask::Wait(timeout) => {
                    self.waker.wait(timeout);
                    continue;
                }
            };
            if !is_done && !self.stop.is_cancelled() {
                self.waker.wait(Some(RETRY_DELAY));
            }
        }
    }

    fn next_task(&self) -> NextTask {
        let mut state = self.state();
        state.drain();
        if state.watch.is_none() {
            return if state.last_full_scan.is_none() { NextTask::FullScan } else { idle_task(&state) };
        }
        let debounce = self.debounce_left(&state);
        if !debounce.is_zero() {
            return NextTask::Wait(Some(debounce));
        }
        if !state.synced || state.dirty.is_all() {
            return NextTask::Resync;
        }
        if !state.dirty.is_empty() || state.fresh_depth == RefreshDepth::Facts {
            return NextTask::RefreshDirty;
        }
        if state.full_scan_requested {
            return NextTask::FullScan;
        }
        match (state.last_change, state.last_full_scan) {
            (Some(changed), Some((at, took))) => {
                let due = (changed + self.options.full_scan_delay).max(at + took * FULL_SCAN_SHARE);
                match due.checked_duration_since(Instant::now()) {
                    None => NextTask::FullScan,
                    left => NextTask::Wait(left),
                }
            }
            _ => idle_task(&state),
        }
    }

    /// The rest of the debounce time: more changes may follow, and one refresh is cheaper than several.
    fn debounce_left(&self, state: &WatchState) -> Duration {
        let (Some(last), Some(first)) = (state.last_change, state.dirty_since) else { return Duration::ZERO };
        let debounce = self.options.debounce.saturating_sub(last.elapsed());
        debounce.min(self.options.max_debounce.saturating_sub(first.elapsed()))
    }

    /// Watches every directory, then does a full scan: from then on notifications are complete.
    fn resync(&self) -> bool {
        let begun = Instant::now();
        let (paths, since) = {
            let mut state = self.state();
            state.synced = false;
            let paths = state.dirty.paths();
            state.dirty = DirtyPaths::default();
            state.last_change = None;
            (paths, state.dirty_since.take())
        };
        if !self.watch_directories(None) {
            // If the tree can no longer be watched, there is nothing to retry.
            return self.state().watch.is_none();
        }
        let Some(_guard) = self.lock_in_background() else { return false };
        let done = self.full_scan(&self.refresh_options(), &self.background_progress, &DirtyPaths::default());
        let mut state = self.state();
        if done.as_ref().is_ok_and(|refresh| refresh.in_memory) {
            // An index in memory needs a full scan for each query; the answers have their own note about that.
            state.stop_watching(Unwatchable::Refused("the store cannot be written".to_owned()));
            state.pending_note = None;
        }
        state.synced = done.is_ok() && state.watch.is_some() && !state.dirty.is_all();
        drop(state);
        self.schedule_prefetch();
        self.report(paths, since.or(Some(begun)), done)
    }

    /// Refreshes the dirty paths.
    fn refresh_in_background(&self) -> bool {
        let Some(_guard) = self.lock_in_background() else { return false };
        let (paths, since) = {
            let state = self.state();
            (state.dirty.paths(), state.dirty_since)
        };
        let done = self.refresh_dirty(&self.refresh_options(), &self.background_progress);
        self.report(paths, since, done)
    }

    /// Does a full scan, which stores the tree manifest and finds changes without a notification; then cleans up the store.
    fn scan_in_background(&self) -> bool {
        let Some(guard) = self.lock_in_background() else { return false };
        self.state().last_change = None;
        let done = self.full_scan(&self.refresh_options(), &self.background_progress, &DirtyPaths::default());
        drop(guard);
        self.engine.checkpoint();
        self.schedule_prefetch();
        self.report(Vec::new(), None, done)
    }

    /// Prefetches other branches and indexes the history once nothing has changed for a while.
    fn schedule_prefetch(&self) {
        let is_wanted = self.options.prefetch_branches > 0 || self.options.history.is_some();
        let due = is_wanted.then(|| Instant::now() + self.options.full_scan_delay);
        self.state().prefetch_due = due;
    }

    /// Does the work of idle times. If a change interrupts it, it resumes a while later.
    fn prefetch(&self) -> bool {
        if self.work_while_idle() {
            self.state().prefetch_due = None;
            self.engine.checkpoint();
        } else {
            self.schedule_prefetch();
        }
        true
    }

    /// Calls the listener; returns whether the refresh succeeded.
    fn report(
        &self,
        paths: Vec<RepoPath>,
        since: Option<Instant>,
        refresh: Result<RefreshReport, EngineError>,
    ) -> bool {
        let is_ok = refresh.is_ok();
        if let Some(listener) = &self.options.on_refresh {
            let lag = since.map(|since| since.elapsed());
            let unwatched = self.state().unwatched.clone();
            listener(&BackgroundRefresh { paths, lag, refresh, unwatched });
        }
        is_ok
    }

    fn refresh_options(&self) -> RefreshOptions {
        let (limit, cancel) = (self.options.max_resolved_with_change, self.stop.clone());
        RefreshOptions { max_resolved_with_change: limit, cancel, ..RefreshOptions::default() }
    }
}

/// What to do if the index is up to date.
fn idle_task(state: &WatchState) -> NextTask {
    match state.prefetch_due.map(|due| due.checked_duration_since(Instant::now())) {
        Some(None) => NextTask::Prefetch,
        Some(left) => NextTask::Wait(left),
        None => NextTask::Wait(None),
    }
}
