//! Bytes and a language in, facts out. Pure: no files, no clock, no environment.
//!
//! A language is a pack: a folder of data under `packs/`. A deep pack has a table that says what each node kind of its
//! grammar is; one walk over the tree lowers everything. A shallow pack has queries for its symbols. Files of no known
//! language are cut into windows. Project files also say where modules are. Extraction never fails: what cannot be read becomes an issue among the facts.

mod blank;
mod chunks;
mod embed;
mod error;
mod extract;
mod hash;
mod levels;
mod limits;
mod lower;
mod mend;
mod pack;
mod paint;
mod parse;
mod project;
mod reference;
mod registry;
mod render;
mod resolvable;
mod role;
mod rules;
mod runtime;
mod scanner;
mod shallow;
mod syntax;
mod table;
mod testing;
mod text;
mod tree;
mod vocabulary;

pub use error::PackError;
pub use extract::{extract, parse_only};
pub use limits::usual_memory;
pub use pack::Pack;
pub use paint::{Class, paint};
pub use reference::languages_reference;
pub use registry::Registry;
pub use render::{PARTS, render, render_symbol};
pub use role::{Roles, classify, says_generated};
pub use syntax::syntax;

/// Changes whenever the same bytes and pack may give other facts.
pub(crate) const EXTRACTOR: u64 = 9;
