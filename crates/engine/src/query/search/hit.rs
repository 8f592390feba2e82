//! Search results: hits with their chunks, symbols and scores.

use super::chunk_loader::LoadedChunk;
use crate::SymbolId;
use orient_model::{ChunkKind, RepoPath, Role, SymbolKind};
use orient_rank::{Analysis, HitEvidence, ScorePart};
use orient_store::ChunkDetails;

/// A ranked result: a chunk with its file and its score.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchHit {
    /// The file.
    pub path: RepoPath,
    /// Its language.
    pub language: Option<String>,
    /// Its role.
    pub role: Role,
    /// The kind of chunk.
    pub kind: ChunkKind,
    /// The first line of the chunk.
    pub first_line: u32,
    /// The last line.
    pub last_line: u32,
    /// The symbol that the chunk is, or the innermost enclosing one.
    pub symbol: Option<SymbolId>,
    /// The qualified name of that symbol.
    pub name: Vec<String>,
    /// The kind of that symbol.
    pub symbol_kind: Option<SymbolKind>,
    /// Comparable within one answer only.
    pub score: f32,
    /// What the likelihood that it answers the query is estimated from.
    pub evidence: HitEvidence,
    /// Whether the query names this symbol.
    pub exact: bool,
    /// The contributions to the score.
    pub parts: Vec<ScorePart>,
    /// Further good chunks of the same file, best first.
    pub also: Vec<SameFileHit>,
    /// The package or directory that it represents, if the query is about every part of the repository; empty for the root.
    pub part: Option<String>,
}

/// A further hit in the same file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SameFileHit {
    /// The kind of chunk.
    pub kind: ChunkKind,
    /// Its first line.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
    /// The name of its symbol, or of the innermost enclosing one, after the name of that symbol's parent.
    pub name: Vec<String>,
    /// The kind of that symbol.
    pub symbol_kind: Option<SymbolKind>,
}

impl SameFileHit {
    /// A further hit from a loaded chunk.
    pub(super) fn new(place: &LoadedChunk) -> Self {
        let ChunkDetails { chunk, symbol } = &**place;
        let around =
            symbol.iter().filter_map(|symbol| symbol.around.as_ref()).map(|(_, _, name)| name.clone());
        Self {
            kind: chunk.kind,
            first_line: chunk.first_line,
            last_line: chunk.last_line,
            name: around.chain(symbol.iter().map(|symbol| symbol.name.clone())).collect(),
            symbol_kind: symbol.as_ref().map(|symbol| symbol.kind.shown(symbol.modifiers)),
        }
    }
}

/// The results of a search.
#[derive(Clone, Debug)]
pub struct SearchResults {
    /// The hits, best first.
    pub hits: Vec<SearchHit>,
    /// How the query was analysed.
    pub analysis: Analysis,
    /// Words of the query that do not occur, with the spell-corrected words used instead.
    pub replaced: Vec<(String, Vec<String>)>,
    /// Whether anything matches well. If not, the hits are merely the nearest chunks.
    pub confident: bool,
    /// Number of chunks that contain a word of the query.
    pub matching_chunks: usize,
    /// Whether there are more hits than the limit.
    pub more: bool,
    /// Number of chunks without a vector, while the built-in model's vectors are being renewed: only words find them.
    pub without_vector: u64,
    /// Whether a remote model's vectors were used.
    pub by_remote: bool,
}
