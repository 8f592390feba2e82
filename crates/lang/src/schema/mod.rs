//! The files of a language pack as written: their data types, the closed vocabulary of words they use, and the errors
//! they can contain. Everything else in this crate reads these types; they depend on nothing.

pub(crate) mod error;
pub(crate) mod node_table;
pub(crate) mod resolution_rules;
pub(crate) mod vocabulary;
