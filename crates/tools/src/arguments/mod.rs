//! Arguments of operations: correction of what programs send, and their resolution to symbols, paths and values.

pub(crate) mod argument_aliases;
pub(crate) mod correction;
pub(crate) mod enum_values;
pub(crate) mod file_scope;
pub(crate) mod location;
pub(crate) mod name_forms;
pub(crate) mod path_argument;
pub(crate) mod program_arguments;
pub(crate) mod symbol_lookup;
pub(crate) mod unified_diff;
