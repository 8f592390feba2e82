//! Lists the files of a tree, detects changes, and reads bytes.
//!
//! This crate knows the file system and the ignore rules, but neither languages nor the store. It never follows a
//! link, opens only regular files, and never leaves the root, even if the tree changes during the walk.

mod diff;
mod error;
mod fingerprint;
mod ignore_rules;
mod lazy_patterns;
mod list_files;
mod nested_repositories;
mod parallel_chunks;
mod path_conversion;
mod read_file;
mod repository;
mod root_check;
mod root_directory;
mod search_files;
mod skip_reason;
mod stamp;
mod stored_tree;
mod streaming_search_files;
mod subtrees;
mod text_detection;
mod tree;

pub use diff::{Changes, compare};
pub use error::WalkError;
pub use fingerprint::{
    Fingerprint, KnownDirectory, KnownFile, RuleFileState, directories_unchanged, global_rule_files,
    is_rule_file, unchanged,
};
pub use ignore_rules::cut_rules;
pub use lazy_patterns::CutRules;
pub use list_files::{
    DEFAULT_MAX_FILE_SIZE, Entry, Listing, RULES_VERSION, WalkOptions, check_excludes, list, list_subtrees,
};
pub use parallel_chunks::parallel_chunks;
pub use path_conversion::{compare_by_component, from_native, normalised, to_native};
pub use read_file::{Content, ReadFailure};
pub use repository::{GitDirs, RefusedGitDirectory, Repo};
pub use root_check::{UnsuitableRoot, check_root};
pub use root_directory::RootDirectory;
pub use search_files::{SearchFile, SearchFiles, SearchScope, list_search_files};
pub use skip_reason::{Skip, SkipReason};
pub use stored_tree::{StoredEntries, StoredEntry, StoredKind, list_stored, search_stored, stored_kind};
pub use streaming_search_files::SearchFileStream;
pub use subtrees::Subtrees;
pub use tree::{FileSource, PathKind, Tree, TreeReader, WorkingTree};
