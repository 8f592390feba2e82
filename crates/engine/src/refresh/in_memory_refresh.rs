//! Refreshes in memory, for a store that cannot be written.

use crate::EngineError;
use crate::refresh::apply::PlanWriter;
use crate::refresh::index_diff::{plan_difference, read_tasks};
use crate::refresh::plan::RefreshPlan;
use crate::refresh::refresh_run::{IndexState, RefreshRun};
use crate::refresh::report::RefreshReport;
use orient_walk::Listing;
use std::time::Instant;

impl RefreshRun<'_> {
    /// Returns to the stored index once the store is writable again: disks are freed, and servers run for days.
    pub(super) fn return_to_store(&self) {
        let engine = self.engine;
        if engine.in_memory_index.is_retry_due()
            && engine.own_directory().is_ok_and(|directory| directory.probe().is_ok())
        {
            engine.in_memory_index.discard();
            engine.caches.clear();
        }
    }

    /// Applies the changes in memory when the store cannot be written.
    pub(super) fn refresh_in_memory(
        &self,
        state: IndexState,
        listing: Listing,
        unusable: Option<String>,
    ) -> Result<RefreshReport, EngineError> {
        let engine = self.engine;
        let already_in_memory = engine.in_memory_index.is_used();
        let refresh = match state {
            IndexState::Build(reason) => {
                let plan = RefreshPlan::everything(listing);
                let (tally, snapshot) = self.in_memory_plan_writer(None).build_in_memory(&plan)?;
                let generation = snapshot.generation();
                engine.in_memory_index.put(snapshot);
                RefreshReport::of_build(&tally, generation, &plan, reason)
            }
            IndexState::Usable(snapshot) => {
                let plan = plan_difference(&snapshot, &listing)?;
                if plan.is_empty() && self.is_resolved(&snapshot) {
                    RefreshReport {
                        generation: snapshot.generation(),
                        unchanged: plan.unchanged,
                        ..RefreshReport::default()
                    }
                } else {
                    let tasks = read_tasks(&snapshot, &plan)?;
                    let deadline = self.options.deadline.map(|deadline| self.started + deadline);
                    let generation = snapshot.generation();
                    let mut writer = snapshot.into_inner().into_writer()?;
                    let done =
                        self.in_memory_plan_writer(deadline).catch_up(&plan, &tasks, &mut writer, None);
                    let refresh =
                        done.map(|(tally, applied)| RefreshReport::of_update(tally, applied, &plan));
                    // New stamps of unchanged content affect no answer: the stored index stays in use.
                    if !already_in_memory && refresh.as_ref().is_ok_and(RefreshReport::only_restamped) {
                        return refresh.map(|refresh| RefreshReport { generation, ..refresh });
                    }
                    engine.in_memory_index.put(writer.into_snapshot()?);
                    refresh?
                }
            }
        };
        engine.in_memory_index.set_reason(unusable.clone());
        Ok(RefreshReport { in_memory: true, unusable, ..refresh })
    }

    /// A writer for an in-memory index: if the index cannot be written, the cache may not be writable either.
    fn in_memory_plan_writer(&self, deadline: Option<Instant>) -> PlanWriter<'_> {
        PlanWriter { keeps_facts: false, ..self.plan_writer(deadline) }
    }
}
