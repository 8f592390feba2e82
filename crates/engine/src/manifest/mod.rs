//! The tree manifest: the files and stamps that prove with one `stat` per file that an index is up to date.

pub(crate) mod lookup;
pub(crate) mod tree_manifest;
