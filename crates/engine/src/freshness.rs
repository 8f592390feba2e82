//! Who brings an index up to date when it is asked for an answer.

use crate::progress::Progress;
use crate::{Engine, EngineError, Refresh, RefreshOptions};

/// Keeps the index of one tree as fresh as its files. An answer that follows shows every change made before the call,
/// or [`Refresh::pending`] names what it may be wrong about.
pub trait Keeper: Send + Sync {
    /// Brings the index up to date.
    fn catch_up(
        &self,
        engine: &Engine,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<Refresh, EngineError>;
}

/// Compares the files with the index whenever it is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sweep;

impl Keeper for Sweep {
    fn catch_up(
        &self,
        engine: &Engine,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<Refresh, EngineError> {
        engine.refresh(options, progress)
    }
}
