//! Updating the graph of an index: which files must be resolved again, and resolving them.

pub(crate) mod dependency_index;
pub(crate) mod invalidation;
pub(crate) mod resolve_files;
pub(crate) mod resolver_input;
#[cfg(test)]
mod tests;
