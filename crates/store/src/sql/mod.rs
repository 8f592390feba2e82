//! Every statement, in the file of its table: bound values in, typed rows out.

pub(crate) mod adjacency_lists;
pub(crate) mod chunk_details;
pub(crate) mod chunks;
pub(crate) mod edges;
pub(crate) mod file_graphs;
pub(crate) mod files;
pub(crate) mod manifests;
pub(crate) mod meta;
pub(crate) mod name_dependencies;
pub(crate) mod names;
pub(crate) mod symbols;
pub(crate) mod tags;
pub(crate) mod terms;
pub(crate) mod trigrams;
