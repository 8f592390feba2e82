//! A streaming reader of SCIP indexes: protocol buffers in which a compiler lists definitions, references and relationships.
//!
//! An index is read document by document, so that memory is bounded by the largest document and not by the index. Only the fields that a
//! call graph needs are decoded; all others are skipped. The input is untrusted: lengths are checked before anything is allocated,
//! and malformed bytes are an error, never a panic. The decoder is our own because the format needs fifteen fields of four wire types;
//! generated code for the whole schema would bring a code generator into the build.

mod error;
mod index;
mod symbol;
mod wire;

pub use error::ScipError;
pub use index::{Document, Occurrence, Part, PositionEncoding, Range, Relation, read};
pub use symbol::{descriptor_name, is_function, is_local, package};
