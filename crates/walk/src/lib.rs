//! Which files there are, what changed, and their bytes.
//!
//! Knows the file system and the ignore rules; knows nothing of languages or of the store. Nothing here follows a
//! link, opens anything but a regular file, or leaves the root, whatever happens to the tree meanwhile.

mod diff;
mod error;
mod fingerprint;
mod ignore_tree;
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
mod streaming_search_files;
mod subtrees;
mod text_detection;

pub use diff::{Changes, compare};
pub use error::WalkError;
pub use fingerprint::{
    Ground, KnownFile, KnownFolder, Mark, folders_unchanged, is_rule, machine_sources, unchanged,
};
pub use ignore_tree::cut_rules;
pub use lazy_patterns::CutRules;
pub use list_files::{
    DEFAULT_MAX_FILE_SIZE, Entry, Listing, RULES, WalkOptions, check_excludes, list, list_region,
};
pub use parallel_chunks::in_pieces;
pub use path_conversion::{by_parts, from_native, to_native};
pub use read_file::{Content, Unread};
pub use repository::{GitDirs, Repo};
pub use root_check::{Refusal, guard};
pub use root_directory::Tree;
pub use search_files::{Haystack, Haystacks, SearchScope, haystacks};
pub use skip_reason::{Skip, SkipReason};
pub use streaming_search_files::Scan;
pub use subtrees::Region;
