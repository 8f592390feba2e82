//! The façade over indexing and queries: an [`Engine`] keeps the index of a tree up to date, a [`Snapshot`] answers
//! queries.
//!
//! - `refresh/` is the write path: list, compare, parse and resolve on several threads, write on one.
//! - `query/` is the read path: every query reads one generation.
//! - `maintenance/` is other work on the store: garbage collection, vector renewal, prefetching.
//!
//! The crate contains no SQL, no grammar and no output formatting.

mod change_log;
mod chunk_features;
mod clock;
mod compiler_layer;
mod custom_roles;
mod engine;
mod error;
mod extraction;
mod file_classifier;
mod file_version;
mod freshness;
mod generation_caches;
mod in_memory_index;
mod maintenance;
mod manifest;
mod progress;
mod query;
mod refresh;
mod remote_embeddings;
mod shared_definitions;
mod skips;
mod store_paths;
mod symbol_identity;
mod word_cache;
mod workspace;

pub use compiler_layer::{
    FoundIndex, ImportState, KeptAnswers, LayerAudit, LayerEdge, LayerPublication, LayerSource, LayerStatus,
    ScipDocument, ScipImport, ScipImportError, ServerAnswers,
};
pub use custom_roles::{CustomRole, CustomRoles, RoleConditions};
pub use engine::{Engine, OpenOptions};
pub use error::EngineError;
pub use extraction::{directory_is_unit, highlight, test_command};
pub use file_classifier::check_settings;
pub use file_version::{DefinitionText, FileVersion, SharedBytes, SymbolVersion};
pub use freshness::{Freshness, FullScan, StoredTree};
pub use maintenance::{ExportReport, GcOptions, GcReport, ImportReport, Prefetcher};
pub use progress::{Cancel, NoProgress, Pause, Phase, Progress};
pub use query::{
    CallSiteAudit, CallSiteCounts, CsrGraph, DESCRIBED_ONLY, Definition, DefinitionQuery, DescribedEndpoint,
    DescribedNode, Direction, Edges, EntryPoint, FileOutline, FileQuery, ForeignEdges, FrameworkEvidence,
    FullGraph, FullGraphNode, GraphPath, GraphPaths, GraphView, HitText, JoinedHits, LevelCounts, Lookup,
    Mention, MentionQuery, Mentions, NodeInfo, NodeOrder, NodeOwners, NumberRange, Parameter, PathMatch,
    PathOptions, PathPattern, PathStarts, PatternError, ProgramGraph, Project, Reach, ReachOptions,
    ReachStep, RetrievedCandidates, SameFileHit, SearchHit, SearchQuery, SearchResults, SearchedRoot,
    SilentSite, SimilarHit, Similarity, Snapshot, Snippet, SourceLines, Status, SymbolFilter, SymbolOrder,
    SymbolRoles, TextCandidates, UnresolvedFileKind, UnresolvedUse, UnresolvedUses, Verification,
    WithDispatch, cyclic_components, pagerank, reach, search_roots, shortest_paths,
};
pub use refresh::{
    ExternalIgnoreFiles, MAX_RESOLVED_WITH_CHANGE, OpenDatabases, PARSER_STACK_BYTES, ProvisionalIndex,
    RebuildReason, RefreshDepth, RefreshMode, RefreshOptions, RefreshReport, RemoteFacts, SeedSource,
    WatchScope,
};
pub use remote_embeddings::{EmbeddingCoverage, EmbeddingJob, EmbeddingLock, RemoteQuery};
pub use store_paths::StorePaths;
pub use symbol_identity::{ChangeParts, SymbolChange, SymbolDelta, changes_since, is_same_kind, pair_moves};
pub use workspace::{CrossRootUse, CrossRootUses, Packages, RootSnapshot, cross_root_uses};

// Types that answers consist of, so that callers depend on this crate alone.
pub use orient_lang::{EmbeddedFiles, EmbeddedForm, TokenClass};
pub use orient_rank::{
    Analysis, EnabledRules, Form, HitEvidence, Rule, Scope, ScorePart, TranslatedWord, Translation, Weights,
    analyse, is_stop_word,
};
pub use orient_resolve::{Endpoint, is_partly_unknown};
pub use orient_store::{
    EdgeRow, EmbedModel, ExcludedFiles, ExternalRow, FileGraph, FileId, FileRow, INDEXED, LanguageCount,
    NameMatch, NodeId, Page, PortableError, ProcessStatus, QUERY_EXAMPLES, QueryError, QueryLimits,
    QueryRows, RankedHit, ServedBatch, ServedCallRow, ServedRange, ServedRows, ServedSymbolRow, Sizes,
    SqlValue, StoreError, SymbolId, TaskRow, TaskStore, UnresolvedRow, VIEWS, VIEWS_VERSION, WrittenFile,
    unusable_reason,
};
pub use orient_text::TrigramQuery;
pub use orient_walk::{
    PathKind, Repo, RootDirectory, SearchFile, SearchFileStream, SearchScope, SkipReason, Subtrees, Tree,
    TreeReader, UnsuitableRoot, WalkError, WorkingTree, from_native, is_rule_file, normalised, to_native,
};
