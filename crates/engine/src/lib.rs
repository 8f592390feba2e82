//! The façade: an [`Engine`] brings the index of a tree up to date, a [`Snapshot`] of it answers questions.
//!
//! Drives walking, extraction and the store, and owns their order: list, compare, read on several threads, write on
//! one. Knows no SQL, no grammar and no way to print.

mod engine;
mod error;
mod extract;
mod facts_batch;
mod languages;
mod memory;
mod pipeline;
mod place;
mod plan;
mod progress;
mod refresh;
mod seed;
mod snapshot;
mod work;
mod writing;

pub use engine::{Engine, OpenOptions};
pub use error::EngineError;
pub use place::Place;
pub use progress::{Cancel, Phase, Progress, Silent};
pub use snapshot::Snapshot;
pub use refresh::{Mode, Rebuilt, Refresh, RefreshOptions};
