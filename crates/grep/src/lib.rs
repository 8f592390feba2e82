//! Parallel text search with ripgrep's matcher, searcher and printers over a list of files.
//!
//! The output is that of ripgrep, byte for byte, in the order of the list: many threads search, one writes. It does not
//! depend on the index or the terminal: the caller decides which files to search and how to print.

mod batch_queue;
mod batch_sink;
mod error;
mod ordered_output;
mod output_options;
mod pattern;
mod search;
mod worker;

pub use batch_queue::{Files, batch_size, in_batches};
pub use error::{GLOB_HINT, GrepError, looks_like_glob};
pub use output_options::{Context, Layout, Mode};
pub use pattern::{Boundary, Case, Pattern};
pub use search::{Search, Totals};
