//! The options of a refresh: where to start, how much must be up to date, how long to wait.

use crate::progress::{Cancel, Pause};
use std::time::{Duration, Instant};

/// Where to start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefreshMode {
    /// Update the existing index.
    #[default]
    CatchUp,
    /// Build a new index.
    Rebuild,
}

/// Default maximum number of files to resolve in the same transaction as the change.
pub const MAX_RESOLVED_WITH_CHANGE: usize = 100;

/// How much of the index must be up to date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefreshDepth {
    /// Facts: symbols, outlines, text.
    Facts,
    /// Facts and edges.
    #[default]
    Graph,
}

/// The options of a refresh.
#[derive(Clone, Debug, Default)]
pub struct RefreshOptions {
    /// Where to start from.
    pub mode: RefreshMode,
    /// How much must be up to date. If many files must be resolved, their facts are committed first.
    pub depth: RefreshDepth,
    /// Maximum number of files to resolve in the same transaction as the change; default
    /// [`MAX_RESOLVED_WITH_CHANGE`].
    pub max_resolved_with_change: Option<usize>,
    /// How long to wait for another writer; by default without limit.
    pub wait: Option<Duration>,
    /// Whether to apply the changes in memory if the writer does not respond. For processes that answer once, because
    /// nothing is kept for others.
    pub in_memory_if_stuck: bool,
    /// When to stop reading changed files and report the rest as pending; a first build is always completed.
    pub deadline: Option<Duration>,
    /// When the query was made: later changes need not show in its answer. Default: now.
    pub asked: Option<Instant>,
    /// Ends resolution early once the facts are committed: resolved files are kept, the rest is owed.
    pub pause: Option<Pause>,
    /// Ends the refresh early, with [`crate::EngineError::Cancelled`].
    pub cancel: Cancel,
}
