//! Resolution: from the facts of many files to edges with their evidence. Pure; one engine for all languages.
//!
//! A `Repository` provides the facts, and a `Resolver` finds out what every reference in a file means. It does not guess:
//! a reference that it cannot prove is kept with the reason. What differs between languages is data: `orient_model::Rules`.
//!
//! | directory | what it answers |
//! |---|---|
//! | `file/` | lookup tables over the facts of one file |
//! | `names/` | what a bare name means at a place: scopes, bindings, visibility, extensions |
//! | `modules/` | what an import means, one file for each module system |
//! | `types/` | the type of an expression, what type expressions mean, members and the MRO |
//! | `calls/` | which functions a call means, overload resolution, result types |
//! | `edges/` | the output, one file for each kind of evidence |
//! | `surface/` | what the program exposes through frameworks: routes, and the paths they have |
//! | `invalidation/` | which files a change concerns: the slots of a file, and lookups by name |
//!
//! A `session::Session` resolves one file. Its queries are memoized (`memo`) and bounded (`limits`), and it records what
//! the result depends on (`dependencies`).

mod calls;
mod dependencies;
mod edges;
mod file;
mod invalidation;
mod limits;
mod markup;
mod memo;
mod memo_tables;
mod modules;
mod names;
mod repository;
mod resolver;
mod session;
mod sharded_cache;
mod surface;
mod types;

pub use edges::{CallOutcome, CallResult, UnprovedUse};
pub use invalidation::lookups::{ChangedLookups, Kinds, NamedSymbols, anywhere_key, named_symbols};
pub use invalidation::slots::{WHOLE_FILE, content_key, path_keys, slot_hashes};
pub use repository::{FileFacts, LazyFlow, MemoryRepository, NamedSymbol, Repository};
pub use resolver::Resolver;
pub use surface::join::{Endpoint, FileSurface, join as join_surface};
pub use surface::requests::{
    describes as describes_endpoint, is_partly_unknown, literal_parts as request_parts,
    reaches as request_reaches, reaches_surely as request_reaches_surely,
};

/// The version of the resolver: changes whenever the same facts and rules may give other edges.
pub const RESOLVER: u64 = 24;
