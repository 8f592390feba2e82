//! One file as resolution sees it: its facts, lookup tables over them, and the record of what one resolution reads of it.

pub(crate) mod file_ref;
pub(crate) mod file_unit;
pub(crate) mod function_contexts;
mod self_rebinding;
pub(crate) mod tables;

pub(crate) use file_ref::{Declaration, FileRef};
pub(crate) use file_unit::FileUnit;
