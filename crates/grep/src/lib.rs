//! Text search in ripgrep's own words: its matcher, its searcher and its printers, over a list of files.
//!
//! What is printed is what ripgrep prints, byte for byte, in the order of the list; many threads search, one hands out.
//! Knows files and patterns. Knows no index and no terminal: which files to look at and how it should look is said by
//! whoever asks.

mod error;
mod layout;
mod ordered;
mod pattern;
mod queue;
mod search;
mod sink;
mod worker;

pub use error::GrepError;
pub use layout::{Context, Layout, Mode};
pub use pattern::{Boundary, Case, Pattern};
pub use queue::{Files, batch_size, in_batches};
pub use search::{Search, Totals};
