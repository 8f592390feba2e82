//! Candidates: chunks with the scores of the channels and their properties.

use crate::bm25::{FileEvidence, TermEvidence};
use orient_model::{ChunkKind, Role, SymbolKind};

/// A chunk that may answer the query.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its number, chosen by the caller.
    pub chunk: u32,
    /// The index of its file in the pool.
    pub file: u32,
    /// The BM25 score and its details.
    pub lexical: TermEvidence,
    /// Cosine similarity of its vector.
    pub semantic: f32,
    /// The kind of chunk.
    pub kind: ChunkKind,
    /// The kind of its symbol.
    pub symbol: Option<SymbolKind>,
    /// The name of its symbol if this chunk defines it, else empty.
    pub name: String,
    /// The symbol it is or belongs to.
    pub owner: Option<i64>,
    /// Greater than 0 if the query is its exact qualified name; greater values rank first.
    pub exact: f32,
    /// Greater than 0 if the query mentions one of its lines; 1 if it does so for certain.
    pub mentioned: f32,
    /// The same if the query mentions the name of its symbol among other words.
    pub named: f32,
    /// The same if the query quotes a message that it contains.
    pub quoted: f32,
    /// Whether it is test code.
    pub test: bool,
    /// Its first line.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
}

/// A file with candidates.
#[derive(Clone, Debug, PartialEq)]
pub struct FileInfo {
    /// Its path.
    pub path: String,
    /// Its role.
    pub role: Role,
    /// The BM25 score of the whole file.
    pub lexical: FileEvidence,
    /// Greater than 0 if the query mentions its path; 1 if it does so for certain.
    pub mentioned: f32,
    /// Whether it is a project file, such as a manifest or a build script.
    pub project: bool,
}

/// All candidates of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pool {
    /// The files.
    pub files: Vec<FileInfo>,
    /// The chunks.
    pub candidates: Vec<Candidate>,
    /// The total weight of the terms of the query.
    pub total: f32,
    /// The weight of the terms that occur nowhere.
    pub missing: f32,
    /// Whether the candidates have vectors.
    pub semantic: bool,
    /// The directories with project files; only for questions about every part of the repository.
    pub packages: Vec<String>,
}
