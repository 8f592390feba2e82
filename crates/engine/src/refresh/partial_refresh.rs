//! Partial refresh: a refresh of the paths that a watcher saw change.

use crate::progress::Progress;
use crate::refresh::index_diff::{read_tasks, recorded_skips};
use crate::refresh::log::RefreshLog;
use crate::refresh::options::{RefreshMode, RefreshOptions};
use crate::refresh::plan::RefreshPlan;
use crate::refresh::refresh_run::{IndexState, RefreshRun, StuckWriter};
use crate::refresh::report::RefreshReport;
use crate::{Engine, EngineError};
use orient_store::{Snapshot, StoreError};
use orient_walk::Subtrees;

impl Engine {
    /// Refreshes a part of the tree when the rest is known to be up to date. Falls back to a full refresh if the part
    /// is not enough. Only a full refresh writes the tree manifest.
    pub fn refresh_region(
        &self,
        region: &Subtrees,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<RefreshReport, EngineError> {
        let log = RefreshLog::begin();
        let run = RefreshRun::new(self, options, progress);
        let done = self.with_repair(|| match run.partial_refresh(region)? {
            Some(refresh) => Ok(refresh),
            None => run.full_refresh(),
        });
        progress.done();
        log.end(done.map(|refresh| run.finish(refresh)))
    }

    /// The generation of the stored index, if it is current enough to answer queries.
    pub fn generation(&self) -> Option<u64> {
        if self.in_memory_index.is_used() {
            return None;
        }
        let snapshot = self.readers.open(&self.paths.index()).ok()?;
        let ours = snapshot.extractor() == self.classifier.extraction_version()
            && snapshot.resolver() == self.resolution_version();
        ours.then(|| snapshot.generation())
    }
}

impl RefreshRun<'_> {
    /// Refreshes a part of the tree; `None` if that is not enough.
    fn partial_refresh(&self, region: &Subtrees) -> Result<Option<RefreshReport>, EngineError> {
        let usable =
            |state: &IndexState| matches!(state, IndexState::Usable(snapshot) if self.is_current(snapshot));
        let whole = region.roots().first().is_some_and(|top| top.as_bytes().is_empty());
        if self.options.mode != RefreshMode::CatchUp || self.engine.in_memory_index.is_used() || whole {
            return Ok(None);
        }
        let state = self.index_state()?;
        let (IndexState::Usable(snapshot), true) = (&state, usable(&state)) else { return Ok(None) };
        let Some((plan, generation)) = self.plan_region(snapshot, region)? else { return Ok(None) };
        if plan.is_empty() && self.is_resolved(snapshot) {
            let owed = snapshot.owed();
            return Ok(Some(RefreshReport {
                generation,
                unchanged: plan.unchanged,
                owed,
                ..RefreshReport::default()
            }));
        }
        let (lock, waited) = match self.take_write_lock() {
            Ok(locked) => locked,
            Err(EngineError::Store(StoreError::Unusable { .. })) => return Ok(None),
            Err(EngineError::Busy { waited, .. }) => {
                return self.report_pending(snapshot, &plan, waited).map(Some);
            }
            Err(EngineError::Stuck { holder, waited }) => {
                let stuck = StuckWriter { holder, waited };
                return self.report_beside_stuck(snapshot, &plan, stuck).map(Some);
            }
            Err(error) => return Err(error),
        };
        drop(state);
        // With the lock held nobody else changes the index; plan again from its current state.
        let state = self.index_state()?;
        let (IndexState::Usable(snapshot), true) = (&state, usable(&state)) else { return Ok(None) };
        let Some((plan, _)) = self.plan_region(snapshot, region)? else { return Ok(None) };
        let tasks = read_tasks(snapshot, &plan)?;
        drop(state);
        let deadline = self.options.deadline.map(|deadline| self.started + deadline);
        let mut writer = orient_store::Writer::open(&self.engine.paths.index(), &lock)?;
        match self.plan_writer(deadline).catch_up(&plan, &tasks, &mut writer, None) {
            Ok((tally, applied)) => {
                Ok(Some(RefreshReport { waited, ..RefreshReport::of_update(tally, applied, &plan) }))
            }
            // A full refresh repairs the index, or falls back to memory.
            Err(EngineError::Store(StoreError::Damaged { .. } | StoreError::Unusable { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The plan for a part of the tree, and the generation it is for; `None` if more than the part is affected.
    fn plan_region(
        &self,
        snapshot: &Snapshot,
        region: &Subtrees,
    ) -> Result<Option<(RefreshPlan, u64)>, EngineError> {
        let listing = self.engine.tree.list(&self.engine.walk_options(), Some(region))?;
        if self.options.cancel.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        // A directory above the part is unreadable, so everything in it is gone.
        if listing.skipped.iter().any(|skip| !region.contains(&skip.path)) {
            return Ok(None);
        }
        let known = match snapshot.known_in(region.roots()) {
            Ok(known) => known.into_iter().map(|known| (known.path, known.stamp)),
            Err(StoreError::Damaged { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let plan = RefreshPlan::new(known, &recorded_skips(snapshot, &listing)?, &listing);
        Ok(Some((plan, snapshot.generation())))
    }
}
