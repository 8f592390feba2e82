//! Bytes and a language in, facts out. Pure: no files, no clock, no environment.
//!
//! A language is a pack: a folder of data under `packs/`. A deep pack has a table that says what each node kind of its
//! grammar is; one walk over the tree lowers everything. A shallow pack has queries for its symbols. Files of no known
//! language are cut into windows. Project files also say where modules are. Extraction never fails: what cannot be read becomes an issue among the facts.

mod conventions;
mod embedded;
mod extract;
mod facts;
mod grammar_repair;
mod lower;
mod node_table;
mod pack;
mod parse;
mod preprocess;
mod project;
mod queries;
mod scanners;
mod schema;
mod views;

pub use extract::{extract, parse_only};
pub use pack::Pack;
pub use pack::file_role::{Roles, classify, says_generated};
pub use pack::registry::Registry;
pub use parse::budget::usual_memory;
pub use schema::error::PackError;
pub use views::highlight::{Class, paint};
pub use views::languages_page::languages_reference;
pub use views::render_facts::{PARTS, render, render_symbol};
pub use views::syntax_dump::syntax;

/// Changes whenever the same bytes and pack may give other facts.
pub(crate) const EXTRACTOR: u64 = 9;
