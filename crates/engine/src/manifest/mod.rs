//! The tree manifest: the files and stamps that prove with one `stat` per file that an index is up to date.

mod codec;
mod lookup;
mod search_manifest;
mod tree_manifest;

pub(crate) use codec::ManifestHeader;
pub(crate) use search_manifest::{SearchManifest, SearchedFile};
pub(crate) use tree_manifest::{ManifestBuilder, TreeManifest};
