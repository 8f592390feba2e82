//! Invalidation: which files must be resolved again after a change.
//!
//! A resolution reads in two ways, and both are recorded: it looks files and symbols up ([`lookups`]), and it reads slots of the
//! files it finds ([`slots`]).

pub(crate) mod lookups;
pub(crate) mod slots;
