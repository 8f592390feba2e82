//! What is asked of a search, and what it finds.

use super::chunk_loader::Place;
use crate::{OtherQuestion, PathPattern, SymbolId};
use orient_model::{ChunkKind, RepoPath, Role, SymbolKind};
use orient_rank::{Analysis, Most, Part, Switches, Weights};
use orient_store::ChunkDetails;
use std::collections::BTreeSet;

/// A question in words, with what the answer must be like.
#[derive(Clone, Debug, Default)]
pub struct SearchQuery {
    /// The question.
    pub text: String,
    /// At most so many hits.
    pub limit: usize,
    /// At most so many other places of the file of each hit.
    pub also: usize,
    /// In files of one of these languages; empty for any.
    pub languages: Vec<String>,
    /// In files with one of these roles; empty for any.
    pub roles: Vec<Role>,
    /// In files with such a path.
    pub path: Option<PathPattern>,
    /// In one of these files; none for any.
    pub among: Option<BTreeSet<RepoPath>>,
    /// In symbols of one of these kinds; empty for any.
    pub kinds: Vec<SymbolKind>,
    /// Only whole symbols and the heads of large ones.
    pub symbols_only: bool,
    /// Whether to ask the vectors.
    pub without_vectors: bool,
    /// The question as a vector of another model, whose vectors are then asked in place of the built-in one's.
    pub other: Option<OtherQuestion>,
    /// Which rules are in force.
    pub switches: Switches,
    /// What they weigh.
    pub weights: Weights,
}

/// A place that answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchHit {
    /// The file.
    pub path: RepoPath,
    /// Its language.
    pub language: Option<String>,
    /// What it is for.
    pub role: Role,
    /// What the place is a piece of.
    pub kind: ChunkKind,
    /// The first line of the place.
    pub first_line: u32,
    /// The last line.
    pub last_line: u32,
    /// The symbol it is, or the innermost one around it.
    pub symbol: Option<SymbolId>,
    /// The qualified name of that.
    pub name: Vec<String>,
    /// What that is.
    pub symbol_kind: Option<SymbolKind>,
    /// Comparable within one answer.
    pub score: f32,
    /// Whether it is what the question names.
    pub exact: bool,
    /// What the score is made of.
    pub parts: Vec<Part>,
    /// Other good places of the same file, best first.
    pub also: Vec<OtherPlace>,
}

/// Another place of a hit's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherPlace {
    /// What it is a piece of.
    pub kind: ChunkKind,
    /// Its first line.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
    /// The name of the symbol it is, or of the innermost one around it, behind that of the symbol around that.
    pub name: Vec<String>,
    /// What that is.
    pub symbol_kind: Option<SymbolKind>,
}

impl SearchQuery {
    /// How many are looked for: one hit more than is asked for, to know whether there are more.
    pub(super) fn most(&self) -> Most {
        Most { hits: self.limit.saturating_add(1), also: self.also }
    }
}

impl OtherPlace {
    /// A place that is named beside a hit.
    pub(super) fn new(place: &Place) -> Self {
        let ChunkDetails { chunk, symbol } = &**place;
        let around =
            symbol.iter().filter_map(|symbol| symbol.around.as_ref()).map(|(_, _, name)| name.clone());
        Self {
            kind: chunk.kind,
            first_line: chunk.first_line,
            last_line: chunk.last_line,
            name: around.chain(symbol.iter().map(|symbol| symbol.name.clone())).collect(),
            symbol_kind: symbol.as_ref().map(|symbol| symbol.kind),
        }
    }
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The best places, best first.
    pub hits: Vec<SearchHit>,
    /// How the question was understood.
    pub analysis: Analysis,
    /// Words of the question that stand nowhere, with those that were looked for in their place.
    pub replaced: Vec<(String, Vec<String>)>,
    /// Whether anything matches well. If not, the hits are only the nearest there is.
    pub confident: bool,
    /// How many places hold a word of the question.
    pub holders: usize,
    /// Whether there are more than are given.
    pub more: bool,
    /// How many places have no vector yet, while the built-in model makes all anew: words alone find them.
    pub bare: u64,
    /// Whether another model's vectors were asked.
    pub by_other: bool,
}
