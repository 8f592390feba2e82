//! Queries on the resolved graph that several operations share.

pub(crate) mod affected_symbols;
pub(crate) mod architecture;
pub(crate) mod call_lines;
pub(crate) mod call_path;
mod call_text;
pub(crate) mod call_tree;
pub(crate) mod changed_symbols;
pub(crate) mod contracts;
pub(crate) mod dependencies;
pub(crate) mod dependency_groups;
mod file_patterns;
pub(crate) mod liveness_reasons;
pub(crate) mod missing_path;
pub(crate) mod name_candidates;
pub(crate) mod name_occurrences;
pub(crate) mod node_line;
pub(crate) mod repository_map;
pub(crate) mod symbol_roles;
pub(crate) mod type_hierarchy;
pub(crate) mod verified_uses;
