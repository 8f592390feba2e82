//! Fact extraction: bytes and a language in, facts out. Pure: no files, no clock, no environment.
//!
//! A language is a pack: a directory of data under `packs/`. A deep pack has a node table that says what each node kind of
//! its grammar means; one walk over the syntax tree lowers it to facts. A shallow pack has queries for symbols and
//! references. Files of unknown languages are cut into windows of lines. Project files also state where modules are.
//! Extraction never fails: whatever cannot be parsed becomes an issue among the facts.
//!
//! Layers, each using only those before it:
//!
//! | modules | job |
//! |---|---|
//! | `schema` | the files of a pack as written |
//! | `facts`, `parse`, `conventions` | building blocks of facts; parsing within a budget; naming and test conventions |
//! | `preprocess`, `grammar_repair` | rewrite source that the grammar cannot parse |
//! | `node_table`, `lower` | deep languages: node kinds to meanings, syntax tree to facts |
//! | `queries`, `scanners`, `project` | shallow languages, languages without a grammar, project files |
//! | `pack` | the compiled packs and the registry that detects languages |
//! | `embedded`, `extract`, `views` | languages inside languages; the entry point; text forms of facts |

mod conventions;
mod embedded;
mod extract;
mod facts;
mod grammar_repair;
mod item_macros;
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

pub use conventions::generated::is_generated;
pub use extract::{extract, extract_file, parse_only, parse_unmodified};
pub use pack::embedded_files::{EmbeddedFiles, EmbeddedForm};
pub use pack::file_patterns::FilePatterns;
pub use pack::file_role::{RolePatterns, classify};
pub use pack::known_frameworks::{Ecosystem, FrameworkSign, KnownFramework, KnownFrameworks, Mention};
pub use pack::registry::Registry;
pub use pack::{Pack, facts_version, rules_version};
pub use parse::budget::usual_memory;
pub use schema::error::PackError;
pub use views::call_sites::{CallSite, call_sites};
pub use views::highlight::{TokenClass, highlight};
pub use views::languages_page::languages_reference;
pub use views::render_facts::{PARTS, render, render_symbol};
pub use views::syntax_dump::syntax;
