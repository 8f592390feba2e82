//! All SQL statements, one file per table: bound values in, typed rows out.

pub(crate) mod adjacency_lists;
pub(crate) mod chunk_details;
pub(crate) mod chunks;
pub(crate) mod edges;
pub(crate) mod file_graphs;
pub(crate) mod files;
pub(crate) mod meta;
pub(crate) mod name_dependencies;
pub(crate) mod names;
pub(crate) mod posting_tables;
pub(crate) mod symbols;
pub(crate) mod tags;
pub(crate) mod tree_manifests;
pub(crate) mod vectors;
