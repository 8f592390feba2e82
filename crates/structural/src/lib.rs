//! Structural search: a pattern of code with metavariables is matched on syntax trees.
//!
//! Patterns have the syntax and the meaning of ast-grep, whose matcher runs over the grammars of the language packs. A
//! query knows the trigrams that every matching file contains, so that the caller can leave out files without reading them.
//! It is pure: the caller lists and reads the files.

mod constraint;
mod error;
mod pack_language;
mod query;
mod required_literals;
mod unified_diff;

pub use constraint::Relation;
pub use error::StructuralError;
pub use query::{Capture, Position, Query, QuerySpec, STRICTNESS, StructuralMatch};
pub use unified_diff::{TextEdit, unified_diff};
