//! The façade: an [`Engine`] brings the index of a tree up to date, a [`Snapshot`] of it answers questions.
//!
//! Drives walking, extraction, resolution and the store, and owns their order: list, compare, read and resolve on
//! several threads, write on one. Knows no SQL, no grammar and no way to print.

mod ahead;
mod candidates;
mod carried;
mod definition;
mod dependents;
mod dump;
mod dump_graph;
mod dump_text;
mod engine;
mod entry;
mod error;
mod extract;
mod facts_batch;
mod gc;
mod graph;
mod graph_plan;
#[cfg(test)]
mod graph_tests;
mod graph_view;
mod languages;
mod lexicon;
mod lookup;
mod memory;
mod mend;
mod other;
mod outlines;
mod owners;
mod part;
mod pattern;
mod pipeline;
mod place;
mod plan;
mod progress;
mod recall;
mod refresh;
mod refresh_log;
mod refresher;
mod renew;
mod resolving;
mod search;
mod seed;
mod sheet;
mod snapshot;
mod source;
mod steps;
mod stuck;
mod traversal;
mod units;
mod whole;
mod work;
mod world;
mod writing;

pub use ahead::Ahead;
pub use candidates::{Basis, Candidates};
pub use definition::{Definition, Parameter};
pub use engine::{Engine, OpenOptions};
pub use entry::Entry;
pub use error::EngineError;
pub use extract::paint;
pub use gc::{Collected, GcOptions};
pub use graph::NodeInfo;
pub use graph_view::{Described, GraphView, Mention, Mentions, NodePlace};
pub use languages::check_settings;
pub use lookup::Lookup;
pub use other::{Coverage, Embedding, EmbeddingTurn, OtherQuestion};
pub use owners::{Owners, Project};
pub use part::{Held, Rules, Survey};
pub use pattern::{PathPattern, PatternError};
pub use pipeline::STACK as PARSING_STACK;
pub use place::Place;
pub use progress::{Cancel, Pause, Phase, Progress, Silent};
pub use refresh::{AT_ONCE, Depth, Mode, Rebuilt, Refresh, RefreshOptions};
pub use refresher::{FullScan, Refresher};
pub use search::{Excerpt, Found, Gathered, Likeness, OtherPlace, SearchHit, SearchQuery, Shown, SimilarHit};
pub use snapshot::{DefinitionQuery, FileOutline, FileQuery, Snapshot, Status};
pub use source::Source;
pub use traversal::{
    Compact, Direction, Dispatching, Edges, Level, Reach, ReachOptions, Starts, Step, Way, WayOptions, Ways,
    cycles, rank, reach, shortest,
};
pub use whole::{Strays, Whole, WholeNode};

// What answers are made of, so that those who ask need to know no other crate.
pub use orient_lang::Class;
pub use orient_rank::{Analysis, Form, Part, Rule, Scope, Switches, Weights, analyse};
pub use orient_store::{
    EdgeRow, EmbedModel, FileGraph, FileId, FileRow, INDEXED, LanguageCount, LeftOut, MissRow, NameMatch,
    NodeId, OutsideRow, Page, Process, Sizes, StoreError, SymbolId, why_unusable,
};
pub use orient_text::Query;
pub use orient_walk::{
    Haystack, Refusal, Region, Repo, Scan, SearchScope, SkipReason, Tree, WalkError, is_rule, to_native,
};
