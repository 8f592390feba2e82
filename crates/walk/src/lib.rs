//! Which files there are, what changed, and their bytes.
//!
//! Knows the file system and the ignore rules; knows nothing of languages or of the store. Nothing here follows a
//! link, opens anything but a regular file, or leaves the root, whatever happens to the tree meanwhile.

mod compare;
mod error;
mod ground;
mod guard;
mod haystacks;
mod list;
mod path;
mod pattern_set;
mod pieces;
mod read;
mod region;
mod repo;
mod rule_tree;
mod scan;
mod skip;
mod stamp;
mod text;
mod tree;

pub use compare::{Changes, compare};
pub use error::WalkError;
pub use ground::{
    Ground, KnownFile, KnownFolder, Mark, folders_unchanged, is_rule, machine_sources, unchanged,
};
pub use guard::{Refusal, guard};
pub use haystacks::{Haystack, Haystacks, SearchScope, haystacks};
pub use list::{DEFAULT_MAX_FILE_SIZE, Entry, Listing, RULES, WalkOptions, list, list_region};
pub use path::{by_parts, from_native, to_native};
pub use pattern_set::CutRules;
pub use pieces::in_pieces;
pub use read::{Content, Unread};
pub use region::Region;
pub use repo::{GitDirs, Repo};
pub use rule_tree::cut_rules;
pub use scan::Scan;
pub use skip::{Skip, SkipReason};
pub use tree::Tree;
