//! What operations on the graph share: nodes in words, uses that are not proven, walks along calls.

pub(crate) mod blocked;
pub(crate) mod calls;
pub(crate) mod candidates;
pub(crate) mod changed;
pub(crate) mod depends;
pub(crate) mod doubt;
pub(crate) mod heirs;
pub(crate) mod links;
pub(crate) mod node;
pub(crate) mod occurrences;
pub(crate) mod reaching;
pub(crate) mod route;
pub(crate) mod survey;
pub(crate) mod usage;
