//! What is ranked: units with what the channels and the index say about them.

use crate::lexical::{Evidence, FileEvidence};
use orient_model::{ChunkKind, Role, SymbolKind};

/// A unit that may answer the question.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its number, for whoever gave it.
    pub unit: u32,
    /// Its file, as an index into the files of the pool.
    pub file: u32,
    /// What the terms say.
    pub lexical: Evidence,
    /// How near its vector is, from -1 to 1.
    pub semantic: f32,
    /// What it is a piece of.
    pub kind: ChunkKind,
    /// The kind of the symbol around it.
    pub symbol: Option<SymbolKind>,
    /// The name of that symbol, if it is defined in this unit; else empty.
    pub name: String,
    /// The symbol it is or is a part of, for telling places of one symbol from places of several.
    pub owner: Option<i64>,
    /// Whether it is what the question names: its qualified name, letter by letter. Greater comes first.
    pub exact: f32,
    /// Whether it is a test, or only there for tests.
    pub test: bool,
    /// Its first line.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
}

/// A file with candidates.
#[derive(Clone, Debug, PartialEq)]
pub struct FileInfo {
    /// Where it is.
    pub path: String,
    /// What it is for.
    pub role: Role,
    /// What the terms say about all of it.
    pub lexical: FileEvidence,
}

/// All that is ranked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pool {
    /// The files.
    pub files: Vec<FileInfo>,
    /// The units.
    pub candidates: Vec<Candidate>,
    /// The weight of all terms of the question.
    pub total: f32,
    /// The weight of those that stand nowhere.
    pub missing: f32,
    /// Whether there are vectors.
    pub semantic: bool,
}
