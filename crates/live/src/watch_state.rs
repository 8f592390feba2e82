//! What a watcher knows about its tree and its index: pending changes, and up to when the index is fresh.

use crate::dirty_paths::DirtyPaths;
use crate::watch::{WatchEvent, WatchSet};
use crate::watch_limits::Unwatchable;
use orient_engine::{Cancel, ExternalIgnoreFiles, OpenDatabases, RefreshDepth};
use std::time::{Duration, Instant};

/// The state that queries and the background thread share.
pub(crate) struct WatchState {
    /// None if the tree cannot be watched.
    pub(crate) watch: Option<WatchSet>,
    pub(crate) unwatched: Option<Unwatchable>,
    /// Paths that changed since the last refresh began.
    pub(crate) dirty: DirtyPaths,
    /// When the first of them changed.
    pub(crate) dirty_since: Option<Instant>,
    /// Whether every directory is watched, and the index is up to date except for the dirty paths.
    pub(crate) synced: bool,
    pub(crate) rules: ExternalIgnoreFiles,
    /// The version our last refresh wrote. If the index has another one, another process wrote it.
    pub(crate) last_version: Option<IndexVersion>,
    /// The databases, kept open, with the inode of the index file.
    pub(crate) open_databases: Option<(u64, OpenDatabases)>,
    /// When the graph was last up to date.
    pub(crate) graph_fresh: Option<FreshAt>,
    /// When the facts were last up to date.
    pub(crate) facts_fresh: Option<FreshAt>,
    /// How much of the index the last refresh completed: facts only while files are owed.
    pub(crate) fresh_depth: RefreshDepth,
    /// Since when a query waits for the graph.
    pub(crate) graph_wanted_since: Option<Instant>,
    /// Asks the refresh in progress to pause.
    pub(crate) pause: Cancel,
    pub(crate) manifest_current: bool,
    /// Paths of the refresh in progress.
    pub(crate) in_progress: DirtyPaths,
    /// A note for the next answer.
    pub(crate) pending_note: Option<String>,
    /// When the last full scan ended, and how long it took.
    pub(crate) last_full_scan: Option<(Instant, Duration)>,
    /// When something last changed since then.
    pub(crate) last_change: Option<Instant>,
    /// When to prefetch other branches, if that is due.
    pub(crate) prefetch_due: Option<Instant>,
    /// Whether a query found the last full scan too old.
    pub(crate) full_scan_requested: bool,
}

/// A generation that was up to date with the files at a moment.
#[derive(Clone, Copy)]
pub(crate) struct FreshAt {
    pub(crate) begun: Instant,
    pub(crate) generation: u64,
}

/// Distinguishes a version of an index from every other: a rebuilt index may repeat a generation, but is a new file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct IndexVersion {
    pub(crate) generation: u64,
    pub(crate) inode: u64,
}

impl WatchState {
    /// The state before the first scan.
    pub(crate) fn new(watch: Option<WatchSet>, unwatched: Option<Unwatchable>) -> Self {
        Self {
            pending_note: unwatched.as_ref().and_then(note),
            watch,
            unwatched,
            dirty: DirtyPaths::default(),
            dirty_since: None,
            synced: false,
            rules: ExternalIgnoreFiles::default(),
            last_version: None,
            open_databases: None,
            graph_fresh: None,
            facts_fresh: None,
            fresh_depth: RefreshDepth::Graph,
            graph_wanted_since: None,
            pause: Cancel::default(),
            manifest_current: false,
            in_progress: DirtyPaths::default(),
            last_full_scan: None,
            last_change: None,
            prefetch_due: None,
            full_scan_requested: false,
        }
    }

    /// Whether something may change without a notification.
    #[cfg(target_os = "linux")]
    pub(crate) fn misses_events(&self) -> bool {
        self.watch.is_none() || !self.synced
    }

    /// Reads all pending notifications.
    pub(crate) fn drain(&mut self) {
        let Self { watch: Some(watch), dirty, .. } = self else { return };
        let mut has_changes = false;
        let drained = watch.drain(|event| {
            has_changes = true;
            match event {
                WatchEvent::Change(path, change) => dirty.add(path, change),
                WatchEvent::Overflow => dirty.add_all(),
            }
        });
        if has_changes {
            self.manifest_current = false;
            self.last_change = Some(Instant::now());
            self.dirty_since.get_or_insert_with(Instant::now);
        }
        if let Err(why) = drained {
            self.stop_watching(why);
        }
    }

    /// Records that the index is up to date after a refresh that began at a moment. If nothing has changed since, it is up to
    /// date now, which also serves the queries that arrived meanwhile.
    pub(crate) fn mark_fresh_since(&mut self, begun: Instant, generation: u64) {
        let now = Instant::now();
        let begun = if self.is_unchanged() { now } else { begun };
        self.mark_fresh(FreshAt { begun, generation });
    }

    /// Whether notifications are reliable and no path is dirty.
    pub(crate) fn is_unchanged(&mut self) -> bool {
        self.drain();
        self.synced && self.watch.is_some() && self.dirty.is_empty() && self.rules.are_unchanged()
    }

    /// Records that the index was up to date: its facts, and its graph if no file is owed.
    pub(crate) fn mark_fresh(&mut self, fresh: FreshAt) {
        let is_newer = |before: &Option<FreshAt>| before.is_none_or(|before| before.begun < fresh.begun);
        if is_newer(&self.facts_fresh) {
            self.facts_fresh = Some(fresh);
        }
        if self.fresh_depth == RefreshDepth::Graph && is_newer(&self.graph_fresh) {
            self.graph_fresh = Some(fresh);
            self.graph_wanted_since = None;
        }
    }

    /// Moves the dirty paths to the refresh that begins now.
    pub(crate) fn take_dirty(&mut self) -> DirtyPaths {
        self.dirty_since = None;
        self.in_progress = std::mem::take(&mut self.dirty);
        self.in_progress.clone()
    }

    /// Stops watching for good.
    pub(crate) fn stop_watching(&mut self, why: Unwatchable) {
        self.watch = None;
        self.synced = false;
        self.pending_note = note(&why);
        self.unwatched = Some(why);
    }
}

/// The note about a tree that is not watched; none where the user cannot do anything about it.
fn note(why: &Unwatchable) -> Option<String> {
    (*why != Unwatchable::System).then(|| {
        tracing::warn!(reason = why.word(), "the tree cannot be watched");
        format!("{why}; every query compares all files instead, which is slower but just as correct")
    })
}
