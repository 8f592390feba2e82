//! Tests written as documents: Markdown whose fenced blocks are files and what is expected of them.
//!
//! A heading opens a case. A block whose first word is a language is a file (`file=` gives its path); a block whose
//! first word is a known part is an expectation about the file before it, or about the one its `file=` names. Beside them,
//! git as tests run it, commands with fewer rights, and files made to be expensive.

mod bombs;
mod fixture;
mod git;
#[cfg(unix)]
mod rights;

pub use bombs::{Bomb, bomb, repeated_bomb};
pub use fixture::{Block, Case, Document, difference};
pub use git::git;
#[cfg(unix)]
pub use rights::unprivileged;
