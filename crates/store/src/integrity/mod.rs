//! Detecting damage: page checksums, WAL checks, the seal of the last writer, and the consistency check of an index.

pub(crate) mod damaged_files;
pub(crate) mod index_check;
pub(crate) mod page_checksum;
pub(crate) mod page_verifier;
pub(crate) mod seal;
pub(crate) mod wal_index;
