//! What operations on the graph share: nodes in words, uses that are not proven, walks along calls.

pub(crate) mod calls;
pub(crate) mod candidates;
pub(crate) mod heirs;
pub(crate) mod node;
