//! The only crate that knows SQL and the disk format.
//!
//! `index.db`, one per working tree, answers questions: [`BulkWriter`] loads it for the first time, [`Writer`] applies
//! change sets, [`Snapshot`] reads one generation of it. `cache.db`, one per repository, saves work: [`Cache`] keeps the
//! facts of every content seen. `tasks.db`, one per working tree, holds guided tasks: [`TaskStore`]. One process writes at a time, by holding the [`WriteLock`]; nobody waits to read.
//!
//! It knows nothing of walking or parsing: files come as [`FilePut`]s, and what a status means is the walker's concern.

mod cache;
mod catalogue;
mod codec;
mod connection;
mod error;
mod format_version;
mod graph;
mod integrity;
mod migrate;
mod names;
mod portable;
mod postings;
mod raw_query;
mod reader;
mod rows;
mod sql;
mod tasks;
mod writer;

pub use cache::history::{
    CommitGraph, CommitPaths, CommitRecord, CommitSymbols, CommitText, FileSymbols, PathRow, Person,
    SymbolsRow,
};
pub use cache::provider_vectors::EmbedModel;
pub use cache::{Cache, CacheKey, CacheState, CachedFacts, Pruned};
pub use catalogue::{Catalogue, CatalogueFile, CatalogueUpdate, ChunkPosting};
pub use codec::{
    ChangedSymbol, CodecError, CommitTerm, CompilerLayer, Encoded, GraphCommit, decode_flow, decode_outline,
    encode_flow, encode_outline,
};
pub use connection::heartbeat::HolderWatch;
pub use connection::keepalive::KeepAlive;
pub use connection::open::checkpoint_wal;
pub use connection::pool::ConnectionPool;
pub use connection::process_status::ProcessStatus;
pub use connection::write_lock::WriteLock;
pub use error::{StoreError, unusable_reason};
pub use format_version::FORMAT;
pub use graph::{
    Dependencies, EdgeRow, ExternalRow, FileGraph, GraphReader, InMemorySymbolTable, IndexedFile, NodeId,
    PreparedGraph, SymbolEntry, UnlinkedReferences, UnresolvedRow,
};
pub use integrity::damaged_files::damage;
pub use integrity::seal::seal_path;
pub use names::name_match::NameMatch;
pub use names::name_table::NameTable;
pub use portable::{
    ExportedRows, ImportTarget, ImportedRows, PortableError, PortableFile, PortableHeader, export_facts,
    export_index, import_facts, import_index,
};
pub use postings::trigrams::ExcludedFiles;
pub use raw_query::{
    QUERY_EXAMPLES, QueryError, QueryExample, QueryLimits, QueryRows, RankedHit, SqlValue, VIEWS,
    VIEWS_VERSION, ViewDoc,
};
pub use reader::snapshot::{FileFilter, Snapshot};
pub use reader::symbol_query::{SymbolHit, SymbolQuery};
pub use rows::{
    Change, ChangeSummary, ChunkDetails, ChunkId, ChunkRow, ChunkSymbol, FileId, FilePut, FileRow, INDEXED,
    LanguageCount, ManifestEntry, ManifestKind, Page, Sizes, StampedFile, StatusCount, SymbolId, SymbolRow,
};
pub use tasks::{
    ServedBatch, ServedCallRow, ServedRange, ServedRows, ServedSymbolRow, TaskRow, TaskStore, WrittenFile,
};
pub use writer::bulk_load::{BulkWriter, GraphWriter};
pub use writer::change_set::{ChangeSet, Writer};
pub use writer::copy_index::copy_index;
pub use writer::prepared_file::PreparedFile;
