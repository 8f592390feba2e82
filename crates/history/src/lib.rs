//! What has changed in a working tree since a revision, and what a switch to another would change, read from git's own
//! files.
//!
//! Only reads: no program is run (no git, no hook, no filter), no configuration is looked at, nothing is written. What
//! stands in a repository is believed by nobody: sizes, depths and names are bounded, and what does not fit is an error.
//! Knows nothing of languages, of the index or of how answers look.

mod compare;
mod delta;
mod error;
mod inflate;
mod lines;
mod objects;
mod oid;
mod pack;
mod refs;
mod revision;
mod staged;
mod tree;

pub use compare::{Brought, Changes, History, Touched};
pub use error::HistoryError;
pub use lines::{Difference, difference};
pub use revision::Tip;
