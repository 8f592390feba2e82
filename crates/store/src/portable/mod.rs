//! Portable indexes: the facts, the index and the history index of a tree in one file, for another machine or another clone.
//!
//! The file holds rows, not pages of a database: an import creates its own database with its own schema, so a file from elsewhere
//! can contain no triggers, views or malformed pages. Paths are relative, and stamps are left out: an import reads every file of
//! the tree once and compares hashes.

mod container;
mod error;
mod export;
mod facts_file;
mod import;
mod row_stream;
mod tables;

pub use container::{PortableFile, PortableHeader};
pub use error::PortableError;
pub use export::{ExportedRows, export_index};
pub use facts_file::{export_facts, import_facts};
pub use import::{ImportTarget, ImportedRows, import_index};
