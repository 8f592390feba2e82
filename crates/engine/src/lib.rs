//! The façade: an [`Engine`] brings the index of a tree up to date, a [`Snapshot`] of it answers questions.
//!
//! Drives walking, extraction and the store, and owns their order: list, compare, read on several threads, write on
//! one. Knows no SQL, no grammar and no way to print.

mod candidates;
mod definition;
mod dump;
mod engine;
mod error;
mod extract;
mod facts_batch;
mod gc;
mod languages;
mod lookup;
mod memory;
mod pattern;
mod pipeline;
mod place;
mod plan;
mod progress;
mod refresh;
mod seed;
mod sheet;
mod snapshot;
mod source;
mod work;
mod writing;

pub use candidates::{Basis, Candidates};
pub use definition::{Definition, Parameter};
pub use engine::{Engine, OpenOptions};
pub use error::EngineError;
pub use gc::{Collected, GcOptions};
pub use lookup::Lookup;
pub use pattern::{PathPattern, PatternError};
pub use place::Place;
pub use progress::{Cancel, Phase, Progress, Silent};
pub use refresh::{Mode, Rebuilt, Refresh, RefreshOptions};
pub use snapshot::{DefinitionQuery, FileOutline, FileQuery, Snapshot, Status};
pub use source::Source;

// What answers are made of, so that those who ask need to know no other crate.
pub use orient_store::{
    FileId, FileRow, INDEXED, LanguageCount, LeftOut, NameMatch, Page, Sizes, StoreError, SymbolId,
};
pub use orient_text::Query;
pub use orient_walk::{Haystack, Refusal, Repo, SearchScope, SkipReason, Tree, WalkError};
