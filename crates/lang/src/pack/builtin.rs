//! The packs that are compiled into the binary. The build script lists them.

use crate::schema::pack_files::PackFiles;

include!(concat!(env!("OUT_DIR"), "/packs.rs"));

/// All packs, by name.
pub(super) fn packs() -> &'static [PackFiles] {
    PACKS
}

/// The pack in a directory.
pub(super) fn pack(name: &str) -> Option<&'static PackFiles> {
    PACKS.iter().find(|files| files.name == name)
}
