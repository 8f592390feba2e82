//! The write path: bringing the index of a tree up to date.

pub(crate) mod apply;
pub(crate) mod facts_batch;
pub(crate) mod graph;
mod log;
mod partial_refresh;
pub(crate) mod pending_facts;
pub(crate) mod pipeline;
pub(crate) mod plan;
pub(crate) mod read_file;
pub(crate) mod run;
mod seeding;
mod stuck_writer;

pub use partial_refresh::{Held, Rules, Survey};
pub use pipeline::STACK as PARSING_STACK;
pub use run::{AT_ONCE, Depth, Mode, Rebuilt, Refresh, RefreshOptions};
