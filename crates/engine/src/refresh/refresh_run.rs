//! One run of a refresh: its inputs, the state of the index, the write lock and the listing.

use crate::in_memory_index::SnapshotLease;
use crate::progress::{Phase, Progress};
use crate::refresh::apply::PlanWriter;
use crate::refresh::options::{MAX_RESOLVED_WITH_CHANGE, RefreshDepth, RefreshMode, RefreshOptions};
use crate::refresh::plan::RefreshPlan;
use crate::refresh::report::{RebuildReason, RefreshReport};
use crate::{Engine, EngineError};
use orient_store::{HolderWatch, Snapshot, StoreError, WriteLock};
use orient_walk::Listing;
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// The state of the index before a refresh.
pub(crate) enum IndexState {
    /// An index that can be updated.
    Usable(Box<SnapshotLease>),
    /// No usable index; it must be built.
    Build(RebuildReason),
}

/// The process that holds the lock, and how long the refresh waited.
#[derive(Clone, Copy, Debug)]
pub(super) struct StuckWriter {
    pub(super) holder: u32,
    pub(super) waited: Duration,
}

impl StuckWriter {
    /// The error for a caller that must write.
    pub(super) fn error(self) -> EngineError {
        EngineError::Stuck { holder: self.holder, waited: self.waited }
    }
}

/// One refresh.
pub(crate) struct RefreshRun<'r> {
    pub(crate) engine: &'r Engine,
    pub(crate) options: &'r RefreshOptions,
    pub(crate) progress: &'r dyn Progress,
    pub(crate) started: Instant,
    /// A note about the listing.
    note: RefCell<Option<String>>,
}

impl<'r> RefreshRun<'r> {
    pub(super) fn new(engine: &'r Engine, options: &'r RefreshOptions, progress: &'r dyn Progress) -> Self {
        Self { engine, options, progress, started: Instant::now(), note: RefCell::default() }
    }

    /// Adds the duration and the note to a report.
    pub(super) fn finish(&self, refresh: RefreshReport) -> RefreshReport {
        let note = refresh.note.or_else(|| self.note.take());
        RefreshReport { elapsed: self.started.elapsed(), note, ..refresh }
    }
}

impl RefreshRun<'_> {
    /// Whether the current version of resolution made the graph.
    pub(super) fn is_current(&self, snapshot: &Snapshot) -> bool {
        snapshot.resolver() == self.engine.resolution_version()
    }

    /// Whether the graph is current, and complete as far as the options require.
    pub(super) fn is_resolved(&self, snapshot: &Snapshot) -> bool {
        self.is_current(snapshot) && (snapshot.owed() == 0 || self.options.depth == RefreshDepth::Facts)
    }

    /// Determines the state of the index. A newer format is an error, because this version must not replace it.
    pub(super) fn index_state(&self) -> Result<IndexState, EngineError> {
        let asked = self.options.mode == RefreshMode::Rebuild;
        let lease = match self.engine.in_memory_index.lease() {
            Some(lease) => Ok(lease),
            None => self.engine.readers.open(&self.engine.paths.index()).map(SnapshotLease::from_file),
        };
        Ok(match lease {
            Ok(_) if asked => IndexState::Build(RebuildReason::Asked),
            Ok(_) if let Some(detail) = self.engine.damage() => {
                IndexState::Build(RebuildReason::Damaged(detail))
            }
            Ok(lease) if lease.extractor() == self.engine.classifier.extraction_version() => {
                IndexState::Usable(Box::new(lease))
            }
            Ok(_) | Err(StoreError::Outdated { .. }) => IndexState::Build(RebuildReason::Outdated),
            // An unreadable index counts as none; taking the lock shows whether a new one can be written.
            Err(StoreError::Missing { .. } | StoreError::Unusable { .. }) => {
                IndexState::Build(RebuildReason::First)
            }
            Err(StoreError::Damaged { detail, .. }) => IndexState::Build(RebuildReason::Damaged(detail)),
            Err(error) => return Err(error.into()),
        })
    }

    /// Takes the write lock; returns how long that took.
    pub(super) fn take_write_lock(&self) -> Result<(WriteLock, Duration), EngineError> {
        let directory = &self.engine.paths.tree;
        let mut waited = Duration::ZERO;
        let mut watch = HolderWatch::new(directory);
        let mut stuck = None;
        let lock = WriteLock::acquire(directory, |so_far| {
            waited = so_far;
            stuck = watch.stuck();
            if stuck.is_none() {
                self.progress.waiting(WriteLock::holder(directory), so_far);
            }
            stuck.is_none()
                && !self.options.cancel.is_cancelled()
                && self.options.wait.is_none_or(|most| so_far < most)
        })?;
        match (lock, stuck) {
            (Some(lock), _) => Ok((lock, waited)),
            (None, _) if self.options.cancel.is_cancelled() => Err(EngineError::Cancelled),
            (None, Some(holder)) => Err(EngineError::Stuck { holder, waited }),
            (None, None) => Err(EngineError::Busy { holder: WriteLock::holder(directory), waited }),
        }
    }

    pub(super) fn list(&self) -> Result<Listing, EngineError> {
        self.progress.phase(Phase::Listing, 0, 0);
        let span = tracing::debug_span!("walk", files = tracing::field::Empty).entered();
        let listing = self.engine.tree.list(&self.engine.walk_options(), None)?;
        span.record("files", listing.files.len());
        drop(span);
        let cut: Vec<String> = listing.cut.iter().map(ToString::to_string).collect();
        self.note.replace((!cut.is_empty()).then(|| cut.join("; ")));
        if self.options.cancel.is_cancelled() { Err(EngineError::Cancelled) } else { Ok(listing) }
    }

    /// The report when another process is writing and the refresh does not wait: lists the paths that may be stale.
    pub(super) fn report_pending(
        &self,
        snapshot: &Snapshot,
        plan: &RefreshPlan,
        waited: Duration,
    ) -> Result<RefreshReport, EngineError> {
        let mut pending = plan.paths();
        if self.options.depth == RefreshDepth::Graph && snapshot.owed() > 0 {
            for file in snapshot.reader().owed()? {
                pending.extend(snapshot.file_by_id(file)?.map(|file| file.path));
            }
            pending.sort_unstable();
            pending.dedup();
        }
        let (generation, unchanged) = (snapshot.generation(), plan.unchanged);
        Ok(RefreshReport { generation, unchanged, waited, pending, busy: true, ..RefreshReport::default() })
    }

    pub(super) fn plan_writer(&self, deadline: Option<Instant>) -> PlanWriter<'_> {
        let RefreshOptions { depth, max_resolved_with_change, pause, cancel, .. } = self.options;
        let (depth, max_resolved_with_change, pause) =
            (*depth, max_resolved_with_change.unwrap_or(MAX_RESOLVED_WITH_CHANGE), pause.as_ref());
        let (engine, progress) = (self.engine, self.progress);
        PlanWriter {
            engine,
            depth,
            max_resolved_with_change,
            cancel,
            progress,
            pause,
            deadline,
            keeps_facts: true,
        }
    }
}
