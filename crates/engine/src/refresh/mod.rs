//! The write path: bringing the index of a tree up to date.

mod apply;
mod facts_batch;
mod full_refresh;
mod graph;
mod in_memory_refresh;
mod index_diff;
mod log;
mod options;
mod partial_refresh;
mod pending_facts;
mod pipeline;
mod plan;
mod provisional_index;
mod read_file;
mod refresh_run;
mod repair;
mod report;
mod seeding;
mod stuck_writer;
mod tally;
mod watch_scope;

pub(crate) use apply::drop_outdated_vectors;
pub(crate) use facts_batch::FactsBatch;
pub(crate) use graph::{FactsSource, IndexRepository, ResolverHooks, SnapshotTable, SymbolTable};
pub use options::{MAX_RESOLVED_WITH_CHANGE, RefreshDepth, RefreshMode, RefreshOptions};
pub(crate) use pending_facts::PendingFactsSlot;
pub use pipeline::PARSER_STACK_BYTES;
pub use provisional_index::ProvisionalIndex;
pub(crate) use read_file::extracted;
pub use report::{RebuildReason, RefreshReport};
pub use seeding::{RemoteFacts, SeedSource};
pub use watch_scope::{ExternalIgnoreFiles, OpenDatabases, WatchScope};
