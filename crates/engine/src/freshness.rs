//! Freshness: the strategy that brings an index up to date before a query.

use crate::progress::Progress;
use crate::{Engine, EngineError, RefreshOptions, RefreshReport};

/// Keeps the index of one tree as fresh as its files. A query that follows reflects every change made before the
/// call, or [`RefreshReport::pending`] lists the paths that may be stale.
pub trait Freshness: Send + Sync {
    /// Brings the index up to date.
    fn catch_up(
        &self,
        engine: &Engine,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<RefreshReport, EngineError>;
}

/// Compares every file with the index on each call.
#[derive(Clone, Copy, Debug, Default)]
pub struct FullScan;

impl Freshness for FullScan {
    fn catch_up(
        &self,
        engine: &Engine,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<RefreshReport, EngineError> {
        engine.refresh(options, progress)
    }
}
