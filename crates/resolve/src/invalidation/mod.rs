//! Invalidation: which files a change concerns. A file depends on names and on other files; interface hashes and the reach
//! of a name say which dependents see a difference.

pub(crate) mod interface_hash;
pub(crate) mod name_reach;
