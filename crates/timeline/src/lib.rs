//! The code over time: an index of commits, changed paths and changed symbols, and the questions it answers.
//!
//! The index only saves work. Whatever it does not have is read from git, commit by commit, with the same result; so every
//! question can be asked before the index is complete. `indexer.rs` writes it, everything else reads it.
//!
//! Which symbol is which over time is decided in one place, `symbol_identity.rs` of the engine.

mod changed_symbols;
mod commit_search;
mod commit_terms;
mod former_symbols;
mod history_index;
mod hotspots;
mod indexed_paths;
mod indexer;
mod symbol_log;
mod version_cache;

pub use commit_search::{CommitHit, CommitQuery, TextKind, search_commits};
pub use former_symbols::{FormerSymbol, Successor, may_know, successors};
pub use history_index::{HistoryCoverage, HistoryIndex, LastChange};
pub use hotspots::{CoChange, Hotspots, PathActivity, SymbolActivity, hotspots};
pub use indexed_paths::path_log;
pub use indexer::{HistoryLimits, IndexStage, index_history};
pub use symbol_log::{SymbolLog, SymbolLogEntry, VisitSymbol};
pub use version_cache::version_beside;
