//! The read path: queries over one snapshot of the index.

pub(crate) mod definition;
mod dump;
mod dump_chunks;
mod dump_graph;
mod entry_point;
mod full_graph;
mod graph_view;
pub(crate) mod node_edges;
mod node_owners;
pub(crate) mod outline_cache;
pub(crate) mod path_pattern;
pub(crate) mod search;
mod snapshot;
mod source_text;
mod symbol_lookup;
mod text_candidates;
pub(crate) mod traversal;

pub use definition::{Definition, Parameter};
pub use entry_point::Entry;
pub use full_graph::{Strays, Whole, WholeNode};
pub use graph_view::{Described, GraphView, Mention, Mentions, NodePlace};
pub use node_edges::NodeInfo;
pub use node_owners::{Owners, Project};
pub use path_pattern::{PathPattern, PatternError};
pub use search::{Excerpt, Found, Gathered, Likeness, OtherPlace, SearchHit, SearchQuery, Shown, SimilarHit};
pub use snapshot::{DefinitionQuery, FileOutline, FileQuery, Snapshot, Status};
pub use source_text::Source;
pub use symbol_lookup::Lookup;
pub use text_candidates::{Basis, Candidates};
pub use traversal::{
    Compact, Direction, Dispatching, Edges, Level, Reach, ReachOptions, Starts, Step, Way, WayOptions, Ways,
    cycles, rank, reach, shortest,
};
