//! Reads git's files: which files changed since a revision, which a switch to another branch would write, and the history
//! of paths, lines and texts.
//!
//! Read-only: it runs no program (no git, hook or filter), reads three things of git's configuration (the hash function, the
//! upstream of a branch, the addresses of remotes) and writes nothing. Repositories are
//! untrusted input: sizes, depths and names are bounded, and anything beyond the bounds is an error. It does not depend on
//! languages, the index or output formats.

mod blame;
mod commit;
mod commit_queries;
mod commit_queue;
mod commit_tree;
mod commit_walk;
mod containing_refs;
mod error;
mod git_files;
mod git_index;
mod hunk_placement;
mod line_diff;
mod line_log;
mod mailmap;
mod myers;
mod object_files;
mod object_store;
mod oid;
mod path_history;
mod path_log;
mod patience_diff;
mod pickaxe;
mod reflog;
mod refs;
mod remotes;
mod renames;
mod revision;
mod similarity;
mod tree;
mod tree_diff;
mod work_limits;
mod worktree_diff;

pub use commit::{Commit, Signature, short_id};
pub use commit_queries::{BlamedLines, LineNumbers, NamedRef, OccurrenceChange, PathChange, Visit};
pub use commit_tree::CommitTree;
pub use containing_refs::ContainingRefs;
pub use error::HistoryError;
pub use line_diff::{CommonBlock, Hunk, blocks_between, common_blocks, hunks, is_binary, lines};
pub use mailmap::Mailmap;
pub use oid::Oid;
pub use path_history::{GitPaths, MergeRename, RawPathChange};
pub use path_log::{
    ChangeAndSource, ChangeKind, CommitNumber, CommitNumbers, PathLog, PathLogEntry, PathNumber, PathSource,
    PathStep,
};
pub use patience_diff::{LineDiff, line_diff};
pub use remotes::remote_addresses;
pub use revision::Tip;
pub use tree_diff::{Blob, BlobKind};
pub use worktree_diff::{Changes, FileChange, History, IncomingFile};
