//! Test support: fixtures written in Markdown, git repositories, SCIP indexes, server processes, unprivileged commands and parser bombs.
//!
//! In a fixture a heading begins a case. A block whose first word is a language is a file, with its path in `file=`. A block
//! whose first word is a known part is an expectation about the file before it, or about the file that its `file=` names.

mod git;
mod markdown_fixture;
mod parser_bombs;
mod scip_index;
mod server_process;
#[cfg(unix)]
mod unprivileged;

pub use git::git;
pub use markdown_fixture::{Block, Case, Document, difference};
pub use parser_bombs::{Bomb, bomb, repeated_bomb};
pub use scip_index::{DEFINES, USES, scip_document, scip_index, scip_occurrence};
pub use server_process::start_server;
#[cfg(unix)]
pub use unprivileged::unprivileged;
