//! Reads git's files: which files changed since a revision, and which a switch to another branch would write.
//!
//! Read-only: it runs no program (no git, hook or filter), reads no git configuration and writes nothing. Repositories are
//! untrusted input: sizes, depths and names are bounded, and anything beyond the bounds is an error. It does not depend on
//! languages, the index or output formats.

mod delta;
mod error;
mod git_index;
mod inflate;
mod object_store;
mod oid;
mod packfile;
mod patience_diff;
mod refs;
mod revision;
mod tree;
mod worktree_diff;

pub use error::HistoryError;
pub use patience_diff::{LineDiff, line_diff};
pub use revision::Tip;
pub use worktree_diff::{Changes, FileChange, History, IncomingFile};
