//! The graph: edges between symbols and files, what leads outside, and what was not resolved.
//!
//! What resolving one file gave is kept whole with that file. Two tables are derived from that: edges by where they
//! lead, and names by who asks for them.

mod bulk;
mod check;
mod directory;
mod gather;
mod prepared;
mod read;
mod rows;
mod write;

pub(crate) use bulk::GraphLoad;
pub(crate) use check::Expected;
pub(crate) use directory::Noted;
pub use directory::{Bearer, Directory, DirectoryFile};
pub use prepared::PreparedGraph;
pub use read::{Depends, Reader};
pub use rows::{EdgeRow, FileGraph, MissRow, NodeId, OutsideRow};
pub(crate) use rows::{StoredEdge, parts, proof};
