//! A closer look at units: their chunk, their symbol, their file.

use super::corpus::Corpus;
use super::hit::SearchQuery;
use crate::{EngineError, Snapshot};
use orient_model::{ChunkKind, Modifier, Modifiers, SymbolKind};
use orient_store::{ChunkId, ChunkRow, FileId, FileRow, INDEXED, PlaceRow, PlaceSymbol};
use rustc_hash::FxHashMap;

/// A unit that was looked at.
pub(super) struct Place {
    pub(super) file: u32,
    pub(super) chunk: ChunkRow,
    pub(super) symbol: Option<PlaceSymbol>,
}

/// Looks at units; files are read once.
pub(super) struct Closer<'s> {
    snapshot: &'s Snapshot,
    corpus: &'s Corpus,
    pub(super) files: Vec<FileRow>,
    numbers: FxHashMap<FileId, u32>,
    /// The chunks of each of the files.
    chunks: Vec<Vec<ChunkId>>,
}

impl<'s> Closer<'s> {
    pub(super) fn new(snapshot: &'s Snapshot, corpus: &'s Corpus) -> Self {
        Self { snapshot, corpus, files: Vec::new(), numbers: FxHashMap::default(), chunks: Vec::new() }
    }

    /// Looks at a unit; none where it is not there any more.
    pub(super) fn look(&mut self, unit: u32) -> Result<Option<Place>, EngineError> {
        let shelf = self.corpus.catalogue.shelves()[self.corpus.file_of[unit as usize] as usize];
        let store = &self.snapshot.store;
        let file = if let Some(&number) = self.numbers.get(&shelf.file) {
            number
        } else {
            let Some(row) = store.file_by_id(shelf.file)?.filter(|row| row.status == INDEXED) else {
                return Ok(None);
            };
            self.files.push(row);
            self.chunks.push(store.chunk_ids(shelf.file)?);
            let number = self.files.len() as u32 - 1;
            self.numbers.insert(shelf.file, number);
            number
        };
        let Some(&id) = self.chunks[file as usize].get((unit - shelf.first) as usize) else {
            return Ok(None);
        };
        let Some(PlaceRow { chunk, symbol }) = store.place(id)? else { return Ok(None) };
        Ok(Some(Place { file, chunk, symbol }))
    }

    /// The shelf of each file.
    pub(super) fn shelves(&self) -> Vec<u32> {
        let shelf = |file: &FileRow| {
            self.corpus.units_of(file.id).map_or(0, |(first, _)| self.corpus.file_of[first as usize])
        };
        self.files.iter().map(shelf).collect()
    }
}

impl Place {
    /// Whether it is a whole symbol, or the head of a large one.
    pub(super) fn defines(&self) -> bool {
        matches!(self.chunk.kind, ChunkKind::Symbol | ChunkKind::Head)
    }

    /// Whether it is of a kind that is asked for.
    pub(super) fn fits(&self, query: &SearchQuery) -> bool {
        let kind = self.symbol.as_ref().map(|symbol| symbol.kind);
        (query.kinds.is_empty() || kind.is_some_and(|kind| query.kinds.contains(&kind)))
            && (!query.symbols_only || (self.defines() && kind.is_some()))
    }

    /// Whether it is a test, or stands in what is only there for tests.
    pub(super) fn is_test(&self) -> bool {
        let is = |kind: SymbolKind, modifiers: Modifiers| {
            kind == SymbolKind::Test || modifiers.contains(Modifier::Test)
        };
        let Some(symbol) = &self.symbol else { return false };
        is(symbol.kind, symbol.modifiers)
            || symbol.around.as_ref().is_some_and(|(kind, modifiers, name)| {
                is(*kind, *modifiers) || (*kind == SymbolKind::Module && name == "tests")
            })
    }
}
