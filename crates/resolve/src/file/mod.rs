//! One file as resolution sees it: its facts, and lookup tables over them.

pub(crate) mod file_unit;
pub(crate) mod tables;
