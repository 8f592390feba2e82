//! Brings the index up to date for a query with as little work as possible: nothing, a partial refresh, or a full scan.

use crate::background_progress::ProgressSnapshot;
use crate::dirty_paths::{ChangeKind, DirtyPaths};
use crate::facts_ready::FactsReadyNotifier;
use crate::refresh_lock::RefreshGuard;
use crate::watch_state::{FreshAt, IndexVersion};
use crate::watcher::WatcherCore;
use orient_engine::{
    Cancel, EngineError, Pause, Progress, RefreshDepth, RefreshMode, RefreshOptions, RefreshReport, Subtrees,
};
use orient_model::RepoPath;
use std::time::{Duration, Instant};

/// How often a query that waits for the refresh lock checks whether it still has to.
const LOCK_POLL: Duration = Duration::from_millis(50);

/// Minimum time of resolution between two pauses. Without it, resolution would never end in a tree that changes all the time.
const MIN_RESOLVE_TIME: Duration = Duration::from_millis(500);

/// How long a query waits for the indexer of its own process while that gets on.
const OWN_INDEXER_WAIT: Duration = Duration::from_secs(20);

/// How long a query that needs the graph lets queries for facts go first.
const GRAPH_PATIENCE: Duration = Duration::from_secs(2);

impl WatcherCore {
    /// Refreshes everything that changed before the query, or returns what is still pending.
    pub(crate) fn catch_up(
        &self,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<RefreshReport, EngineError> {
        let started = Instant::now();
        let asked = options.asked.unwrap_or(started);
        let refresh = if let Some(refresh) = self.fresh_since(asked, options) {
            refresh
        } else if let Some(refresh) = self.fresh_if_idle(options) {
            refresh
        } else {
            loop {
                let guard = self.lock_refresh(asked, options, progress)?;
                let refresh = match (self.fresh_since(asked, options), &guard) {
                    (Some(refresh), _) => refresh,
                    (None, Some(_)) => self.refresh_dirty(options, progress)?,
                    (None, None) => self.stale_result(started),
                };
                // After a pause for other queries, files may still be owed.
                if refresh.owed == 0 || options.depth == RefreshDepth::Facts {
                    break refresh;
                }
            }
        };
        let mut state = self.state();
        let interval = self.options.full_scan_interval;
        let is_old = state.last_full_scan.is_some_and(|(at, _)| at.elapsed() > interval);
        if is_old && !state.full_scan_requested {
            state.full_scan_requested = true;
            self.waker.wake();
        }
        Ok(refresh)
    }

    /// Waits for the refresh lock and reports the progress of its holder; returns none if that takes too long or is no longer
    /// needed. Without an index to answer from, it waits without a limit. The holder is this process: as long as it gets on, an answer a
    /// little later is better than a stale one.
    fn lock_refresh(
        &self,
        asked: Instant,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<Option<RefreshGuard<'_>>, EngineError> {
        let started = Instant::now();
        let mut reported = ProgressSnapshot::default();
        let mut progressed = started;
        let guard = self.refresh_lock.wait(LOCK_POLL, || {
            let before = reported;
            self.background_progress.report(&mut reported, progress);
            if reported != before {
                progressed = Instant::now();
            }
            let is_over = |limit: Duration| {
                started.elapsed() > OWN_INDEXER_WAIT.max(limit) || progressed.elapsed() > limit
            };
            let is_late = options.deadline.is_some_and(|deadline| started.elapsed() > deadline)
                || options.wait.is_some_and(is_over);
            let gives_up = is_late && self.engine.generation().is_some();
            let is_needed = self.fresh_since(asked, options).is_none();
            if is_needed {
                self.request_pause(asked, options.depth);
            }
            is_needed && !gives_up && !options.cancel.is_cancelled()
        });
        if reported != ProgressSnapshot::default() {
            progress.done();
        }
        match guard {
            None if options.cancel.is_cancelled() => Err(EngineError::Cancelled),
            guard => Ok(guard),
        }
    }

    /// The result if nothing changed and no refresh is in progress: this needs no lock.
    fn fresh_if_idle(&self, options: &RefreshOptions) -> Option<RefreshReport> {
        let begun = Instant::now();
        let (version, manifest_current) = {
            let mut state = self.state();
            let owes = options.depth == RefreshDepth::Graph && state.fresh_depth == RefreshDepth::Facts;
            let idle = state.in_progress.is_empty() && !owes && options.mode == RefreshMode::CatchUp;
            if !idle || !state.is_unchanged() {
                return None;
            }
            (state.last_version?, state.manifest_current)
        };
        let generation = version.generation;
        let refresh = RefreshReport { generation, manifest_current, ..RefreshReport::default() };
        let refresh = (self.index_version() == Some(version)).then_some(refresh)?;
        self.state().mark_fresh(FreshAt { begun, generation });
        Some(refresh)
    }

    /// The result if a refresh that began after the query arrived has completed, or found nothing to do: one refresh serves all
    /// queries that wait. Later changes need not show in the answer.
    fn fresh_since(&self, asked: Instant, options: &RefreshOptions) -> Option<RefreshReport> {
        let mut state = self.state();
        state.drain();
        let fresh = match options.depth {
            RefreshDepth::Facts => state.facts_fresh,
            RefreshDepth::Graph => state.graph_fresh,
        };
        let fresh = fresh.filter(|fresh| fresh.begun >= asked && options.mode == RefreshMode::CatchUp)?;
        let (generation, manifest_current) = (fresh.generation, state.manifest_current);
        Some(RefreshReport { generation, manifest_current, ..RefreshReport::default() })
    }

    /// Takes the refresh lock for the background, which waits without a limit.
    pub(crate) fn lock_in_background(&self) -> Option<RefreshGuard<'_>> {
        self.refresh_lock.wait(LOCK_POLL, || !self.stop.is_cancelled())
    }

    /// The result of a query that gives up waiting: the index as it is, and the paths it may be wrong about.
    fn stale_result(&self, started: Instant) -> RefreshReport {
        let mut state = self.state();
        state.drain();
        let mut pending = state.dirty.clone();
        pending.merge(state.in_progress.clone());
        if pending.is_empty() || !state.synced {
            pending.add_all();
        }
        let generation = self.engine.generation().unwrap_or_default();
        RefreshReport {
            generation,
            pending: pending.paths(),
            busy: true,
            waited: started.elapsed(),
            ..RefreshReport::default()
        }
    }

    /// Brings the index up to date with a partial refresh, or with a full scan if notifications may have been missed. The caller
    /// holds the refresh lock.
    pub(crate) fn refresh_dirty(
        &self,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<RefreshReport, EngineError> {
        let begun = Instant::now();
        let dirty = {
            let mut state = self.state();
            state.drain();
            if state.dirty.is_all() || !state.rules.are_unchanged() {
                state.synced = false;
            }
            let trusted = state.synced && state.watch.is_some() && options.mode == RefreshMode::CatchUp;
            // Otherwise paths stay dirty until the background has set all watches again.
            if trusted { Some(state.take_dirty()) } else { None }
        };
        let Some(dirty) = dirty else {
            self.waker.wake();
            return self.full_scan(options, progress, &DirtyPaths::default());
        };
        let is_our_version = self.index_version() == self.state().last_version;
        let owes = options.depth == RefreshDepth::Graph && self.state().fresh_depth == RefreshDepth::Facts;
        if dirty.is_empty() && is_our_version && !owes {
            let state = self.state();
            let generation = state.last_version.map_or(0, |version| version.generation);
            return Ok(RefreshReport {
                generation,
                manifest_current: state.manifest_current,
                ..RefreshReport::default()
            });
        }
        if !self.rewatch_structure(&dirty) || !is_our_version || dirty.is_many() {
            return self.full_scan(options, progress, &dirty);
        }
        let notifier = FactsReadyNotifier { core: self, progress, begun };
        let options = RefreshOptions { pause: Some(self.new_pause()), ..options.clone() };
        let done = self.engine.refresh_region(&dirty.region(), &options, &notifier);
        self.record_refresh(&done, dirty, begun);
        done
    }

    /// Compares all files with the index.
    pub(crate) fn full_scan(
        &self,
        options: &RefreshOptions,
        progress: &dyn Progress,
        dirty: &DirtyPaths,
    ) -> Result<RefreshReport, EngineError> {
        let begun = Instant::now();
        let options = &RefreshOptions { pause: Some(self.new_pause()), ..options.clone() };
        let done = self.engine.refresh(options, &FactsReadyNotifier { core: self, progress, begun });
        self.record_refresh(&done, dirty.clone(), begun);
        let mut state = self.state();
        state.drain();
        if let Ok(refresh) = &done {
            state.manifest_current = refresh.manifest_current && state.dirty.is_empty();
            state.last_full_scan = Some((Instant::now(), begun.elapsed()));
            state.full_scan_requested = false;
            if refresh.in_memory {
                state.synced = false;
            }
        }
        done
    }

    /// Records the outcome of a refresh: the version of the index, and the paths that are still dirty.
    fn record_refresh(&self, done: &Result<RefreshReport, EngineError>, dirty: DirtyPaths, begun: Instant) {
        let mut state = self.state();
        state.in_progress = DirtyPaths::default();
        match done {
            Ok(refresh) => {
                for path in &refresh.pending {
                    state.dirty.add(path.clone(), ChangeKind::Structure);
                }
                let inode = self.index_inode();
                state.last_version = Some(IndexVersion { generation: refresh.generation, inode });
                if state.open_databases.as_ref().is_none_or(|(open, _)| *open != inode) {
                    state.open_databases = Some((inode, self.engine.keep_open()));
                }
                state.fresh_depth = if refresh.owed > 0 { RefreshDepth::Facts } else { RefreshDepth::Graph };
                if refresh.owed > 0 {
                    self.waker.wake();
                }
                if refresh.pending.is_empty() && !refresh.busy && !refresh.in_memory {
                    state.mark_fresh_since(begun, refresh.generation);
                }
            }
            Err(_) => state.dirty.merge(dirty),
        }
    }

    /// Begins a refresh and returns its pause request.
    fn new_pause(&self) -> Pause {
        let asked = Cancel::default();
        self.state().pause = asked.clone();
        Pause { asked, after: MIN_RESOLVE_TIME }
    }

    /// Asks the refresh in progress to pause if paths have changed since and this query needs facts only, unless a query for the
    /// graph has waited too long.
    fn request_pause(&self, asked: Instant, depth: RefreshDepth) {
        let mut state = self.state();
        if depth == RefreshDepth::Graph {
            state.graph_wanted_since.get_or_insert(asked);
            return;
        }
        let may_pause = state.graph_wanted_since.is_none_or(|since| since.elapsed() < GRAPH_PATIENCE);
        if may_pause && !state.dirty.is_empty() {
            state.pause.cancel();
        }
    }

    /// Records that the facts of all files are up to date, in a refresh that goes on with resolution.
    pub(crate) fn record_facts(&self, generation: u64, begun: Instant) {
        let mut state = self.state();
        state.in_progress = DirtyPaths::default();
        state.fresh_depth = RefreshDepth::Facts;
        state.last_version = Some(IndexVersion { generation, inode: self.index_inode() });
        state.mark_fresh_since(begun, generation);
        drop(state);
        self.refresh_lock.wake_waiters();
    }

    /// Sets watches on directories that may have been created, moved or removed; returns whether every directory is watched.
    fn rewatch_structure(&self, dirty: &DirtyPaths) -> bool {
        let changed = dirty.structure();
        if changed.is_empty() {
            return true;
        }
        let root = self.engine.root();
        let is_directory = |path: &RepoPath| {
            let native =
                orient_engine::to_native(path).map_or_else(|| root.to_owned(), |path| root.join(path));
            native.symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
        };
        {
            let mut state = self.state();
            let Some(watch) = &mut state.watch else { return false };
            if !watch.intersects(&changed) && !changed.roots().iter().any(is_directory) {
                return true;
            }
            watch.remove(&changed);
        }
        self.watch_directories(Some(&changed))
    }

    /// Watches every directory of a region or of the tree. Repeats until a listing finds no new directory, so that the next
    /// comparison sees everything created before its directory was watched. Returns whether that succeeded.
    pub(crate) fn watch_directories(&self, region: Option<&Subtrees>) -> bool {
        loop {
            let Ok(survey) = self.engine.watch_scope(region) else { return false };
            let mut state = self.state();
            let mut has_new = false;
            for directory in &survey.directories {
                let Some(watch) = &mut state.watch else { return false };
                match watch.add(directory) {
                    Ok(added) => has_new |= added,
                    Err(why) => {
                        state.stop_watching(why);
                        return false;
                    }
                }
            }
            if region.is_some() {
                state.rules.extend(survey.rules);
            } else {
                state.rules = survey.rules;
                if let Some(watch) = &mut state.watch {
                    watch.keep_only(&survey.directories.into_iter().collect());
                }
            }
            if !has_new || self.stop.is_cancelled() {
                return !has_new;
            }
        }
    }

    /// The version of the index on disk.
    fn index_version(&self) -> Option<IndexVersion> {
        Some(IndexVersion { generation: self.engine.generation()?, inode: self.index_inode() })
    }

    /// The inode of the index file; a rebuilt index is a new file.
    #[cfg(unix)]
    pub(crate) fn index_inode(&self) -> u64 {
        use std::os::unix::fs::MetadataExt;
        self.engine.store_paths().index().metadata().map_or(0, |metadata| metadata.ino())
    }

    #[cfg(not(unix))]
    fn index_inode(&self) -> u64 {
        0
    }
}
