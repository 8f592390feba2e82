//! Answering beside a writer that shows no sign of life: nobody waits for it, and nothing is written.

use crate::refresh::plan::Plan;
use crate::refresh::run::{Refreshing, State};
use crate::{EngineError, Mode, Refresh};
use orient_store::Snapshot;
use orient_walk::Listing;
use std::time::Duration;

/// The largest index that is copied into memory to catch up with a difference; beyond that, the difference is named.
const LARGEST_COPY: u64 = 256 << 20;
/// The largest tree that is indexed in memory for one answer: so many files, and so many bytes of them.
const LARGEST_TREE: (usize, u64) = (10_000, 128 << 20);

/// The process that holds the lock, and what finding out has cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StuckWriter {
    pub(crate) holder: u32,
    pub(crate) waited: Duration,
}

impl StuckWriter {
    fn error(self) -> EngineError {
        EngineError::Stuck { holder: self.holder, waited: self.waited }
    }
}

impl Refreshing<'_> {
    /// What can be done without the lock: the difference held in memory where that was asked for and fits, else the index as it
    /// is with what differs named. Whoever came to write the index gets an error.
    pub(crate) fn beside_stuck(
        &self,
        state: State,
        planned: Option<&Plan>,
        listing: Listing,
        stuck: StuckWriter,
    ) -> Result<Refresh, EngineError> {
        let in_memory = self.options.in_memory_if_stuck && self.options.mode == Mode::CatchUp;
        if in_memory && self.fits_in_memory(&state, &listing) {
            let refresh = self.in_memory(state, listing, None)?;
            return Ok(Refresh { stuck: Some(stuck.holder), waited: stuck.waited, ..refresh });
        }
        match (&state, planned) {
            (State::Usable(snapshot), Some(plan)) => self.behind_stuck(snapshot, plan, stuck),
            _ => Err(stuck.error()),
        }
    }

    /// The index as it is; an error for those who would have waited without end, because they need it written.
    pub(crate) fn behind_stuck(
        &self,
        snapshot: &Snapshot,
        plan: &Plan,
        stuck: StuckWriter,
    ) -> Result<Refresh, EngineError> {
        if self.options.wait.is_none() && !self.options.in_memory_if_stuck {
            return Err(stuck.error());
        }
        let refresh = self.behind(snapshot, plan, stuck.waited)?;
        Ok(Refresh { stuck: Some(stuck.holder), ..refresh })
    }

    fn fits_in_memory(&self, state: &State, listing: &Listing) -> bool {
        match state {
            State::Usable(_) => {
                let index = self.engine.place.index().metadata();
                index.is_ok_and(|index| index.len() <= LARGEST_COPY)
            }
            State::Build(_) => {
                let (files, bytes) = LARGEST_TREE;
                let size: u64 = listing.files.iter().map(|file| file.stamp.size).sum();
                listing.files.len() <= files && size <= bytes
            }
        }
    }
}
