//! The interface that brings an index up to date before a query, and its simplest implementation: a full scan.

use crate::progress::Progress;
use crate::{Engine, EngineError, Refresh, RefreshOptions};

/// Brings the index of one tree up to date. A query that follows sees every change made before the call, or
/// [`Refresh::pending`] names the files that it may be wrong about.
pub trait Refresher: Send + Sync {
    /// Brings the index up to date.
    fn catch_up(
        &self,
        engine: &Engine,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<Refresh, EngineError>;
}

/// Compares every file with the index before each query.
#[derive(Clone, Copy, Debug, Default)]
pub struct FullScan;

impl Refresher for FullScan {
    fn catch_up(
        &self,
        engine: &Engine,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<Refresh, EngineError> {
        engine.refresh(options, progress)
    }
}
