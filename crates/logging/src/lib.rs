//! The log: a `tracing` subscriber that writes JSON lines to a rotating file and readable lines to the standard error.
//!
//! Servers and background processes write to `<store>/log/orient.log`; a command writes nothing unless `--verbose` or
//! `ORIENT_LOG` asks for it. Without a subscriber, a span or an event costs one load of an atomic.
//!
//! # What a line holds
//!
//! ```json
//! {"ts":"2026-03-01T09:30:00.125Z","level":"info","target":"serve","pid":4711,"span":"tool_call","tool":"find","outcome":"ok","tokens":812,"generation":7,"duration_ms":3.204}
//! ```
//!
//! A line with `duration_ms` is a span that ended; a line with `message` is an event, and `span` is the span around it.
//!
//! # What a line never holds
//!
//! **No source text, no query, no secret.** Four rules keep it so:
//!
//! 1. Only crates of this workspace are heard. The protocol SDK logs whole requests and answers; whatever `ORIENT_LOG` says,
//!    its spans and events are disabled.
//! 2. Text is taken only from the fields in a closed list (`TEXT_FIELDS` in `record.rs`), whose values are words of our own
//!    tables: names of tools, codes of errors. Every other field must be a number or a boolean, or it is dropped.
//! 3. Messages are literals. `tests/messages.rs` reads every call in the workspace and rejects interpolation.
//! 4. A path of the repository is taken at the level `debug` alone, which no process writes unless the user asks for it.
//!
//! Tests of the binary index a repository with a marker in its files, ask for it, and look for the marker in the log.
//!
//! # When it cannot be written
//!
//! Lines are dropped, and nothing else happens: no command fails because of its log.
//!
//! This crate knows nothing of indexes, questions or settings.

mod filter;
mod format;
mod problems;
mod record;
mod rotation;
mod subscriber;

pub use filter::{BadFilter, Filter};
pub use problems::{Problems, problems};
pub use subscriber::{Sinks, install, open};

use std::path::{Path, PathBuf};

/// The variable that holds a filter.
pub const VARIABLE: &str = "ORIENT_LOG";

/// The directory of the logs in the directory of all stores.
pub const DIRECTORY: &str = "log";

/// The file that is written now. Older ones have a number behind it.
const FILE: &str = "orient.log";

/// Where the log of a store is.
pub fn path(store: &Path) -> PathBuf {
    store.join(DIRECTORY).join(FILE)
}
