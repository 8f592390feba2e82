//! The only crate that knows SQL and the disk format.
//!
//! `index.db`, one per working tree, answers questions: [`BulkWriter`] loads it for the first time, [`Writer`] applies
//! change sets, [`Snapshot`] reads one generation of it. `cache.db`, one per repository, saves work: [`Cache`] keeps the
//! facts of every content seen. One process writes at a time, by holding the [`WriteLock`]; nobody waits to read.
//!
//! It knows nothing of walking or parsing: files come as [`FilePut`]s, and what a status means is the walker's concern.

mod anchor;
mod bulk;
mod cache;
mod catalogue;
mod check;
mod codec;
mod connect;
mod damage;
mod database;
mod descriptors;
mod digest;
mod embedded;
mod error;
mod grams;
mod graph;
mod guard;
mod heartbeat;
mod interner;
mod list_error;
mod located;
mod lock;
mod matching;
mod migrate;
mod name_match;
mod name_sheet;
mod naming;
mod pages;
mod process;
mod query;
mod readers;
mod rows;
mod salvage;
mod seal;
mod seed;
mod snapshot;
mod sql;
mod terms;
mod vectors;
mod version;
mod vfs;
mod walindex;
mod writer;

pub use anchor::Anchor;
pub use bulk::{BulkWriter, GraphWriter};
pub use cache::{Cache, CacheKey, CacheState, CachedFacts, Pruned};
pub use catalogue::{Catalogue, Followed, Holder, Shelf};
pub use codec::{CodecError, Encoded, decode_flow, decode_outline, encode_flow, encode_outline};
pub use connect::move_log;
pub use damage::damage;
pub use digest::Prepared;
pub use embedded::EmbedModel;
pub use error::{StoreError, why_unusable};
pub use grams::LeftOut;
pub use graph::{
    Bearer, Depends, Directory, DirectoryFile, EdgeRow, FileGraph, MissRow, NodeId, OutsideRow,
    PreparedGraph, Reader,
};
pub use heartbeat::HolderWatch;
pub use lock::WriteLock;
pub use name_match::NameMatch;
pub use name_sheet::NameSheet;
pub use process::Process;
pub use query::{Found, SymbolQuery};
pub use readers::Readers;
pub use rows::{
    Applied, Change, ChunkId, ChunkRow, FileId, FilePut, FileRow, INDEXED, Known, LanguageCount, Listed,
    Page, PlaceRow, PlaceSymbol, Sheet, Sizes, StatusCount, SymbolId, SymbolRow,
};
pub use seed::copy_index;
pub use snapshot::{FileFilter, Snapshot};
pub use version::FORMAT;
pub use writer::{ChangeSet, Writer};
