//! The report of a refresh: what changed, what is pending, and why the index was rebuilt.

use crate::refresh::plan::RefreshPlan;
use crate::refresh::seeding::SeedSource;
use crate::refresh::tally::RefreshTally;
use orient_model::RepoPath;
use orient_store::ChangeSummary;
use std::time::Duration;

/// Why an index was built from scratch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RebuildReason {
    /// There was none.
    First,
    /// The caller requested it.
    Asked,
    /// The previous one was made by another version or with other settings.
    Outdated,
    /// The previous one was damaged; describes how.
    Damaged(String),
}

/// What a refresh did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefreshReport {
    /// The current generation.
    pub generation: u64,
    /// New files.
    pub added: usize,
    /// Files with changed content.
    pub changed: usize,
    /// Removed files.
    pub removed: usize,
    /// Renamed files.
    pub renamed: usize,
    /// Files with a new stamp and the same content.
    pub restamped: usize,
    /// Files that were not read.
    pub unchanged: usize,
    /// Files that were parsed.
    pub parsed: usize,
    /// Files whose facts came from the cache.
    pub from_cache: usize,
    /// Files that were resolved.
    pub resolved: usize,
    /// Files on which the resolver failed, which is a bug.
    pub unresolved: usize,
    /// Files that are still to be resolved; zero unless only facts were requested or the refresh was paused.
    pub owed: u64,
    /// Newly recorded skips: files, links and directories.
    pub skipped: usize,
    /// Bytes of the files that were read.
    pub bytes: u64,
    /// Total duration.
    pub elapsed: Duration,
    /// Time spent waiting for another process.
    pub waited: Duration,
    /// Paths that may still be stale, by path.
    pub pending: Vec<RepoPath>,
    /// Why the index was built from scratch, if it was.
    pub rebuilt: Option<RebuildReason>,
    /// What a new index was seeded from, if anything.
    pub seeded_from: Option<SeedSource>,
    /// Whether the index is in memory because the store cannot be written.
    pub in_memory: bool,
    /// Why the store cannot be written, if known.
    pub unusable: Option<String>,
    /// Whether another process was writing and the refresh did not wait.
    pub busy: bool,
    /// The process that holds the write lock and does not respond, if any.
    pub stuck: Option<u32>,
    /// Whether the tree manifest matches the current tree.
    pub manifest_current: bool,
    /// A note about freshness for the user; reported once.
    pub note: Option<String>,
}

impl RefreshReport {
    /// Number of files of the tree that were compared.
    pub fn files_compared(&self) -> usize {
        self.added + self.changed + self.renamed + self.restamped + self.unchanged
    }

    /// Whether every file that was read had the content that the index already has.
    pub(super) fn only_restamped(&self) -> bool {
        let differing =
            self.added + self.changed + self.removed + self.renamed + self.skipped + self.resolved;
        differing == 0 && self.pending.is_empty() && self.rebuilt.is_none()
    }

    /// The report of a full build.
    pub(super) fn of_build(
        tally: &RefreshTally,
        generation: u64,
        plan: &RefreshPlan,
        reason: RebuildReason,
    ) -> Self {
        Self {
            generation,
            added: plan.files() - tally.gone.min(plan.files()),
            parsed: tally.parsed,
            from_cache: tally.from_cache,
            resolved: tally.graph.resolved,
            unresolved: tally.graph.failed,
            skipped: tally.skipped,
            bytes: tally.bytes,
            rebuilt: Some(reason),
            manifest_current: tally.manifest_written,
            ..Self::default()
        }
    }

    /// The report of an update.
    pub(super) fn of_update(tally: RefreshTally, applied: ChangeSummary, plan: &RefreshPlan) -> Self {
        Self {
            generation: applied.generation,
            added: applied.added,
            changed: applied.changed,
            removed: applied.removed,
            renamed: applied.renamed,
            restamped: applied.restamped,
            unchanged: plan.unchanged + tally.unchanged,
            parsed: tally.parsed,
            from_cache: tally.from_cache,
            resolved: tally.graph.resolved,
            unresolved: tally.graph.failed,
            owed: tally.owed,
            skipped: tally.skipped,
            bytes: tally.bytes,
            pending: tally.pending,
            manifest_current: tally.manifest_written,
            ..Self::default()
        }
    }
}
