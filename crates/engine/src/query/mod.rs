//! The read path: queries over one snapshot of the index.

mod built_names;
mod call_site_audit;
pub(crate) mod definition;
mod dump;
mod entry_point;
mod file_outline;
mod file_scan;
mod framework_evidence;
mod full_graph;
mod graph_view;
mod mention_context;
mod mentions;
pub(crate) mod node_edges;
mod node_owners;
pub(crate) mod outline_cache;
pub(crate) mod path_pattern;
mod path_search;
mod program_graph;
mod raw_query;
pub(crate) mod search;
mod snapshot;
mod source_text;
mod surface;
mod surface_edges;
mod symbol_filter;
mod symbol_lookup;
mod symbol_roles;
mod text_candidates;
pub(crate) mod traversal;
mod type_names;
mod unresolved_files;

pub use call_site_audit::{CallSiteAudit, CallSiteCounts, SilentSite};
pub use definition::{Definition, Parameter};
pub use entry_point::EntryPoint;
pub use file_outline::FileOutline;
pub use framework_evidence::FrameworkEvidence;
pub use full_graph::{ForeignEdges, FullGraph, FullGraphNode};
pub use graph_view::{DescribedNode, GraphView, NodeOrder, UnresolvedUse, UnresolvedUses};
pub use mentions::{Mention, MentionQuery, Mentions};
pub use node_edges::NodeInfo;
pub use node_owners::{NodeOwners, Project};
pub use path_pattern::{PathPattern, PatternError};
pub use path_search::PathMatch;
pub use program_graph::ProgramGraph;
pub use search::{
    HitText, JoinedHits, RetrievedCandidates, SameFileHit, SearchHit, SearchQuery, SearchResults,
    SearchedRoot, SimilarHit, Similarity, Snippet, search_roots,
};
pub use snapshot::{DefinitionQuery, FileQuery, Snapshot, Status};
pub use source_text::SourceLines;
pub use surface::{DESCRIBED_ONLY, DescribedEndpoint};
pub(crate) use surface_edges::SurfaceEdges;
pub use symbol_filter::{NumberRange, SymbolFilter, SymbolOrder};
pub use symbol_lookup::Lookup;
pub use symbol_roles::SymbolRoles;
pub(crate) use text_candidates::ScopedFilesCache;
pub use text_candidates::{TextCandidates, Verification};
pub use traversal::{
    CsrGraph, Direction, Edges, GraphPath, GraphPaths, LevelCounts, PathOptions, PathStarts, Reach,
    ReachOptions, ReachStep, WithDispatch, cyclic_components, pagerank, reach, shortest_paths,
};
pub use unresolved_files::UnresolvedFileKind;
pub(crate) use unresolved_files::UnresolvedFiles;
