//! The façade: an [`Engine`] brings the index of a tree up to date, a [`Snapshot`] of it answers questions.
//!
//! Drives walking, extraction, resolution and the store, and owns their order: list, compare, read and resolve on
//! several threads, write on one. Knows no SQL, no grammar and no way to print.

mod change_log;
mod chunk_features;
mod engine;
mod error;
mod extraction;
mod file_classifier;
mod freshness;
mod in_memory_index;
mod maintenance;
mod manifest;
mod progress;
mod query;
mod refresh;
mod remote_embeddings;
mod store_paths;
mod word_cache;

pub use engine::{Engine, OpenOptions};
pub use error::EngineError;
pub use extraction::paint;
pub use file_classifier::check_settings;
pub use freshness::{Keeper, Sweep};
pub use maintenance::{Ahead, Collected, GcOptions};
pub use progress::{Cancel, Pause, Phase, Progress, Silent};
pub use query::{
    Basis, Candidates, Compact, Definition, DefinitionQuery, Described, Direction, Dispatching, Edges, Entry,
    Excerpt, FileOutline, FileQuery, Found, Gathered, GraphView, Level, Likeness, Lookup, Mention, Mentions,
    NodeInfo, NodePlace, OtherPlace, Owners, Parameter, PathPattern, PatternError, Project, Reach,
    ReachOptions, SearchHit, SearchQuery, Shown, SimilarHit, Snapshot, Source, Starts, Status, Step, Strays,
    Way, WayOptions, Ways, Whole, WholeNode, cycles, rank, reach, shortest,
};
pub use refresh::{
    AT_ONCE, Depth, Held, Mode, PARSING_STACK, Rebuilt, Refresh, RefreshOptions, Rules, Survey,
};
pub use remote_embeddings::{Coverage, Embedding, EmbeddingTurn, OtherQuestion};
pub use store_paths::Place;

// What answers are made of, so that those who ask need to know no other crate.
pub use orient_lang::Class;
pub use orient_rank::{Analysis, Form, Part, Rule, Scope, Switches, Weights, analyse};
pub use orient_store::{
    EdgeRow, EmbedModel, ExcludedFiles, ExternalRow, FileGraph, FileId, FileRow, INDEXED, LanguageCount,
    NameMatch, NodeId, Page, ProcessStatus, Sizes, StoreError, SymbolId, UnresolvedRow, why_unusable,
};
pub use orient_text::TrigramQuery;
pub use orient_walk::{
    Repo, RootDirectory, SearchFile, SearchFileStream, SearchScope, SkipReason, Subtrees, UnsuitableRoot,
    WalkError, is_rule_file, to_native,
};
