//! Tests of the table of operations through its public surface, in one program.

mod code_search;
mod file_names;
mod json_calls;
mod operation_table;
mod support;
mod symbol_filters;
mod vector_upgrade;
