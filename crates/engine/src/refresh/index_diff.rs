//! The difference between an index and a listing, as a refresh plan.

use crate::EngineError;
use crate::refresh::plan::{IndexedFile, RecordedSkip, RefreshPlan};
use crate::refresh::read_file::ReadTask;
use crate::skips::skip_reason;
use orient_model::RepoPath;
use orient_store::Snapshot;
use orient_walk::Listing;
use std::collections::BTreeMap;

/// The plan for the difference between an index and a listing.
pub(super) fn plan_difference(snapshot: &Snapshot, listing: &Listing) -> Result<RefreshPlan, EngineError> {
    let skipped = recorded_skips(snapshot, listing)?;
    let known = snapshot.known()?;
    Ok(RefreshPlan::new(known.into_iter().map(|known| (known.path, known.stamp)), &skipped, listing))
}

/// The recorded skips among the paths that the listing skips.
pub(super) fn recorded_skips(
    snapshot: &Snapshot,
    listing: &Listing,
) -> Result<BTreeMap<RepoPath, RecordedSkip>, EngineError> {
    let mut skipped = BTreeMap::new();
    for skip in &listing.skipped {
        if let Some(row) = snapshot.file(&skip.path)?
            && let Some(reason) = skip_reason(&row)
        {
            skipped.insert(skip.path.clone(), RecordedSkip { reason, stamp: row.stamp });
        }
    }
    Ok(skipped)
}

/// The files to read, with what the index has about each.
pub(super) fn read_tasks(snapshot: &Snapshot, plan: &RefreshPlan) -> Result<Vec<ReadTask>, EngineError> {
    let mut tasks = Vec::with_capacity(plan.jobs.len());
    for job in &plan.jobs {
        let row = if job.known { snapshot.file(&job.path)? } else { None };
        let seen =
            row.map(|row| IndexedFile { stamp: row.stamp, hash: row.hash, skipped: skip_reason(&row) });
        tasks.push(ReadTask { job: job.clone(), seen });
    }
    Ok(tasks)
}
