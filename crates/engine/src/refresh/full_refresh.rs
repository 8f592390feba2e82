//! A full refresh: the manifest fast path, then listing, planning, and building or updating under the write lock.

use crate::manifest::{ManifestBuilder, TreeManifest};
use crate::progress::Progress;
use crate::refresh::index_diff::{plan_difference, read_tasks};
use crate::refresh::log::RefreshLog;
use crate::refresh::options::{RefreshMode, RefreshOptions};
use crate::refresh::plan::RefreshPlan;
use crate::refresh::read_file::ReadTask;
use crate::refresh::refresh_run::{IndexState, RefreshRun, StuckWriter};
use crate::refresh::report::{RebuildReason, RefreshReport};
use crate::refresh::seeding::{self, Seeded};
use crate::store_paths::record_use;
use crate::{Engine, EngineError};
use orient_store::{ManifestKind, StoreError, WriteLock};
use orient_walk::{Listing, RootDirectory};

impl Engine {
    /// Brings the index up to date with the tree. If nothing changed, it costs little more than a listing.
    pub fn refresh(
        &self,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<RefreshReport, EngineError> {
        let log = RefreshLog::begin();
        let run = RefreshRun::new(self, options, progress);
        let done = self.with_repair(|| run.full_refresh());
        progress.done();
        log.end(done.map(|refresh| run.finish(refresh)))
    }
}

impl RefreshRun<'_> {
    pub(super) fn full_refresh(&self) -> Result<RefreshReport, EngineError> {
        self.return_to_store();
        if let Some(refresh) = self.check_manifest() {
            return Ok(refresh);
        }
        let listing = self.list()?;
        let state = self.index_state()?;
        if self.engine.in_memory_index.is_used() {
            return self.refresh_in_memory(state, listing, self.engine.in_memory_index.reason());
        }
        let planned = match &state {
            IndexState::Usable(snapshot) => match plan_difference(snapshot, &listing) {
                Ok(plan) if plan.is_empty() && self.is_resolved(snapshot) => {
                    let (generation, unchanged, owed) =
                        (snapshot.generation(), plan.unchanged, snapshot.owed());
                    drop(state);
                    let manifest_current = self.write_manifest(&listing);
                    return Ok(RefreshReport {
                        generation,
                        unchanged,
                        owed,
                        manifest_current,
                        ..RefreshReport::default()
                    });
                }
                Ok(plan) => Some(plan),
                // Found again, and repaired, under the lock.
                Err(EngineError::Store(StoreError::Damaged { .. })) => None,
                Err(error) => return Err(error),
            },
            IndexState::Build(_) => None,
        };
        let (lock, waited) = match self.take_write_lock() {
            Ok(locked) => locked,
            Err(EngineError::Store(StoreError::Unusable { reason, .. })) => {
                return self.refresh_in_memory(state, listing, Some(reason));
            }
            // The unfinished index of a stored tree still describes the tree that it was copied from.
            Err(EngineError::Busy { waited, .. })
                if self.engine.tree.id().is_none()
                    && let (IndexState::Usable(snapshot), Some(plan)) = (&state, &planned) =>
            {
                return self.report_pending(snapshot, plan, waited);
            }
            Err(EngineError::Stuck { holder, waited }) => {
                let stuck = StuckWriter { holder, waited };
                return self.refresh_beside_stuck(state, planned.as_ref(), listing, stuck);
            }
            Err(error) => return Err(error),
        };
        drop(state);
        // The previous lock holder may have done the work, and the tree may have changed meanwhile.
        let listing = if waited.is_zero() { listing } else { self.list()? };
        match self.refresh_locked(&lock, listing) {
            // The lock file is writable, the index is not.
            Err(EngineError::Store(StoreError::Unusable { reason, .. })) => {
                drop(lock);
                self.refresh_in_memory(self.index_state()?, self.list()?, Some(reason))
            }
            done => done.map(|refresh| RefreshReport { waited, ..refresh }),
        }
    }

    /// The fast path: the report if the tree manifest proves that nothing changed; `None` if a walk is needed.
    fn check_manifest(&self) -> Option<RefreshReport> {
        if self.options.mode != RefreshMode::CatchUp
            || self.engine.in_memory_index.is_used()
            || self.engine.damage().is_some()
        {
            return None;
        }
        let engine = self.engine;
        let snapshot = engine.readers.open(&engine.paths.index()).ok()?;
        if snapshot.extractor() != engine.classifier.extraction_version() || !self.is_resolved(&snapshot) {
            return None;
        }
        let bytes = snapshot.manifest(ManifestKind::Tree).ok()??;
        let manifest = TreeManifest::read(&bytes, engine.manifest_key())?;
        let unchanged = manifest.len();
        let (generation, owed) = (snapshot.generation(), snapshot.owed());
        let is_unchanged = if let Some(id) = engine.tree.id() {
            record_use(&engine.paths.tree);
            manifest.is_of(id)
        } else {
            let tree = RootDirectory::open(&engine.repo.root).ok()?;
            manifest.is_unchanged(&tree, engine.threads())
        };
        is_unchanged.then(|| RefreshReport {
            generation,
            unchanged,
            owed,
            manifest_current: true,
            ..RefreshReport::default()
        })
    }

    /// Writes the tree manifest of a listing, if no other process is writing. Returns whether it was written.
    fn write_manifest(&self, listing: &Listing) -> bool {
        if !listing.fingerprint.is_reliable() {
            return false;
        }
        let manifest = self.manifest_builder(listing);
        let mut made = false;
        if let Ok(Some(lock)) = WriteLock::acquire(&self.engine.paths.tree, |_| false)
            && let Ok(mut writer) = orient_store::Writer::open(&self.engine.paths.index(), &lock)
        {
            let kept = writer.put_tree_manifest(|files| {
                let manifest = manifest.encode(files);
                made = manifest.is_some();
                manifest
            });
            made &= kept.is_ok();
        }
        made
    }

    fn manifest_builder(&self, listing: &Listing) -> ManifestBuilder {
        let count = listing.files.len() + listing.skipped.len();
        ManifestBuilder {
            key: self.engine.manifest_key(),
            fingerprint: listing.fingerprint.clone(),
            count,
            tree: self.engine.tree.id().map(<[u8]>::to_vec),
        }
    }

    /// Refreshes while holding the lock, so that nobody else changes the index.
    fn refresh_locked(&self, lock: &WriteLock, listing: Listing) -> Result<RefreshReport, EngineError> {
        let engine = self.engine;
        engine.own_directory()?;
        let mut state = self.index_state()?;
        let mut seeded = Seeded::default();
        // An outdated index of a commit is no better than none: that of the working tree is usually up to date already.
        let is_stored = engine.tree.id().is_some();
        let may_seed = match state {
            IndexState::Build(RebuildReason::First) => true,
            IndexState::Build(RebuildReason::Outdated) => is_stored,
            _ => false,
        };
        if may_seed {
            seeded = seeding::seed(engine, &listing, lock, &self.options.cancel, self.progress)?;
            if seeded.source.is_some() {
                engine.caches.clear();
                state = self.index_state()?;
            }
        }
        let Seeded { source: seeded_from, problem } = seeded;
        let is_new = seeded_from.is_some() || matches!(state, IndexState::Build(_));
        let manifest = self.manifest_builder(&listing);
        let refresh = match state {
            IndexState::Build(reason) => self.build(lock, listing, reason, &manifest),
            IndexState::Usable(snapshot) => {
                let planned = plan_difference(&snapshot, &listing)
                    .and_then(|plan| Ok((read_tasks(&snapshot, &plan)?, plan)));
                drop(snapshot);
                match planned.and_then(|(tasks, plan)| self.catch_up(lock, &plan, &tasks, &manifest)) {
                    Err(EngineError::Store(StoreError::Damaged { detail, .. })) => {
                        self.build(lock, listing, RebuildReason::Damaged(detail), &manifest)
                    }
                    done => done,
                }
            }
        };
        if is_new {
            engine.limit_stored_trees();
        }
        let refresh = refresh?;
        Ok(RefreshReport { seeded_from, note: problem.or_else(|| refresh.note.clone()), ..refresh })
    }

    fn build(
        &self,
        lock: &WriteLock,
        listing: Listing,
        reason: RebuildReason,
        manifest: &ManifestBuilder,
    ) -> Result<RefreshReport, EngineError> {
        let plan = RefreshPlan::everything(listing);
        let writing = self.plan_writer(None);
        let (tally, generation) = writing.build(&plan, lock, manifest)?;
        // The caches describe the previous index, whose generations may have had the same numbers.
        self.engine.caches.clear();
        Ok(RefreshReport::of_build(&tally, generation, &plan, reason))
    }

    fn catch_up(
        &self,
        lock: &WriteLock,
        plan: &RefreshPlan,
        tasks: &[ReadTask],
        manifest: &ManifestBuilder,
    ) -> Result<RefreshReport, EngineError> {
        let deadline = self.options.deadline.map(|deadline| self.started + deadline);
        let mut writer = orient_store::Writer::open(&self.engine.paths.index(), lock)?;
        let (tally, applied) =
            self.plan_writer(deadline).catch_up(plan, tasks, &mut writer, Some(manifest))?;
        writer.truncate_large_log();
        Ok(RefreshReport::of_update(tally, applied, plan))
    }
}
