//! The graph: edges between symbols and files, what leads outside, and what was not resolved.
//!
//! What resolving one file gave is kept whole with that file. Two tables are derived from that: edges by where they
//! lead, and names by who asks for them.

mod bulk_load;
mod diff_writer;
mod graph_check;
mod load_symbol_table;
mod prepared_graph;
mod reader;
mod rows;
mod symbol_table;

pub(crate) use bulk_load::GraphLoad;
pub(crate) use graph_check::Expected;
pub use prepared_graph::PreparedGraph;
pub use reader::{Depends, Reader};
pub use rows::{EdgeRow, FileGraph, MissRow, NodeId, OutsideRow};
pub(crate) use rows::{StoredEdge, parts, proof};
pub(crate) use symbol_table::Noted;
pub use symbol_table::{Bearer, Directory, DirectoryFile};
