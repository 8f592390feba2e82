//! Names: interning, ids, and matching by case, prefix, word and edit distance.

pub(crate) mod interner;
pub(crate) mod name_ids;
pub(crate) mod name_match;
pub(crate) mod name_table;
