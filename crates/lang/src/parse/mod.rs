//! Parsing within limits: the parser run, the budget of a file, and the flat syntax tree that lowering walks.

pub(crate) mod budget;
pub(crate) mod erased_prefix;
pub(crate) mod flat_tree;
mod indentation_depth;
pub(crate) mod run_parser;
