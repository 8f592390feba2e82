//! The encoding of posting lists.

pub(crate) mod golomb_rice;
