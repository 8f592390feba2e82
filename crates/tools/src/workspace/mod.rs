//! Workspaces: several roots that are asked as one. Each root has a session of its own; the first holds the others.
//!
//! Answers show the paths of a workspace below the names of its roots (`lib/src/a.rs`), and arguments may name them in the same way. The
//! shape of an answer is that of one root.

mod joined_answers;
mod other_root_uses;
mod root_filter;
mod root_names;

pub(crate) use joined_answers::{Appended, Labelled, append_answer, first_answer, joined};
pub(crate) use other_root_uses::{OtherRootUse, about_symbol};
pub use root_filter::RootFilter;
pub(crate) use root_names::RootName;
pub use root_names::distinct_roots;
