//! Queries while the writer does not respond: answer without waiting and without writing.

use crate::refresh::plan::RefreshPlan;
use crate::refresh::refresh_run::{IndexState, RefreshRun, StuckWriter};
use crate::{EngineError, RefreshMode, RefreshReport};
use orient_store::Snapshot;
use orient_walk::Listing;

/// Maximum size of an index that is copied into memory to be updated; beyond it, changed paths are reported as
/// pending.
const MAX_COPIED_INDEX: u64 = 256 << 20;
/// Maximum size of a tree that is indexed in memory for one answer: files and bytes.
const MAX_INDEXED_TREE: (usize, u64) = (10_000, 128 << 20);

impl RefreshRun<'_> {
    /// Refreshes without the lock: in memory if requested and small enough, else reports the changed paths as
    /// pending. A caller that must write gets an error.
    pub(super) fn refresh_beside_stuck(
        &self,
        state: IndexState,
        planned: Option<&RefreshPlan>,
        listing: Listing,
        stuck: StuckWriter,
    ) -> Result<RefreshReport, EngineError> {
        let in_memory = self.options.in_memory_if_stuck && self.options.mode == RefreshMode::CatchUp;
        if in_memory && self.fits_in_memory(&state, &listing) {
            let refresh = self.refresh_in_memory(state, listing, None)?;
            return Ok(RefreshReport { stuck: Some(stuck.holder), waited: stuck.waited, ..refresh });
        }
        match (&state, planned) {
            (IndexState::Usable(snapshot), Some(plan)) if self.engine.tree.id().is_none() => {
                self.report_beside_stuck(snapshot, plan, stuck)
            }
            _ => Err(stuck.error()),
        }
    }

    /// Reports the changed paths as pending; an error for callers that would have waited forever because they need a
    /// written index.
    pub(super) fn report_beside_stuck(
        &self,
        snapshot: &Snapshot,
        plan: &RefreshPlan,
        stuck: StuckWriter,
    ) -> Result<RefreshReport, EngineError> {
        if self.options.wait.is_none() && !self.options.in_memory_if_stuck {
            return Err(stuck.error());
        }
        let refresh = self.report_pending(snapshot, plan, stuck.waited)?;
        Ok(RefreshReport { stuck: Some(stuck.holder), ..refresh })
    }

    fn fits_in_memory(&self, state: &IndexState, listing: &Listing) -> bool {
        match state {
            IndexState::Usable(_) => {
                let index = self.engine.paths.index().metadata();
                index.is_ok_and(|index| index.len() <= MAX_COPIED_INDEX)
            }
            IndexState::Build(_) => {
                let (files, bytes) = MAX_INDEXED_TREE;
                let size: u64 = listing.files.iter().map(|file| file.stamp.size).sum();
                listing.files.len() <= files && size <= bytes
            }
        }
    }
}
