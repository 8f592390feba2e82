//! The files of a language pack as written: their data types, the closed vocabulary of their words, and the errors they
//! can contain. The rest of the crate reads these types; they depend on nothing else in it.

pub(crate) mod error;
pub(crate) mod framework_rules;
mod library_types;
pub(crate) mod manifest;
pub(crate) mod node_table;
pub(crate) mod pack_files;
pub(crate) mod project_rules;
pub(crate) mod resolution_rules;
mod resource_rules;
pub(crate) mod source_rewriting;
pub(crate) mod vocabulary;
