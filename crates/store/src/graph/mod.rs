//! The graph: edges between symbols and files, external references, and unresolved references.
//!
//! The graph of each file is stored as one blob with that file. Two tables are derived from these blobs: edges by target,
//! and name dependencies by name.

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
pub use reader::{Dependencies, GraphReader};
pub use rows::{EdgeRow, ExternalRow, FileGraph, NodeId, UnlinkedReferences, UnresolvedRow};
pub(crate) use rows::{StoredEdge, parts, proof};
pub(crate) use symbol_table::SymbolTableBuilder;
pub use symbol_table::{InMemorySymbolTable, IndexedFile, SymbolEntry};
