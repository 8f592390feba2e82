//! Loads candidate chunks with their symbol and their file, through the cache.

use super::chunk_cache::CachedFile;
use super::corpus::Corpus;
use super::search_query::SearchQuery;
use crate::{EngineError, Snapshot};
use orient_model::{ChunkKind, Modifier, Modifiers, SymbolKind};
use orient_store::{ChunkDetails, FileId, INDEXED};
use rustc_hash::FxHashMap;
use std::ops::Deref;
use std::sync::Arc;

/// A chunk with its symbol, and the number of its file.
pub(super) struct LoadedChunk {
    pub(super) file: u32,
    row: Arc<ChunkDetails>,
}

impl Deref for LoadedChunk {
    type Target = ChunkDetails;

    fn deref(&self) -> &ChunkDetails {
        &self.row
    }
}

/// Loads chunks; keeps the files it has met.
pub(super) struct ChunkLoader<'s> {
    snapshot: &'s Snapshot,
    corpus: &'s Corpus,
    pub(super) files: Vec<Arc<CachedFile>>,
    numbers: FxHashMap<FileId, u32>,
}

impl<'s> ChunkLoader<'s> {
    pub(super) fn new(snapshot: &'s Snapshot, corpus: &'s Corpus) -> Self {
        Self { snapshot, corpus, files: Vec::new(), numbers: FxHashMap::default() }
    }

    /// Loads a chunk; `None` if it no longer exists.
    pub(super) fn load(&mut self, chunk: u32) -> Result<Option<LoadedChunk>, EngineError> {
        let catalogue = &self.corpus.catalogue;
        let chunks = catalogue.file(catalogue.file_of(chunk));
        let file = if let Some(&number) = self.numbers.get(&chunks.file) {
            number
        } else {
            let Some(cached) = self.snapshot.cached_file(self.corpus, chunks.file)? else { return Ok(None) };
            self.files.push(cached);
            let number = self.files.len() as u32 - 1;
            self.numbers.insert(chunks.file, number);
            number
        };
        let (cached, at) = (&self.files[file as usize], (chunk - chunks.first) as usize);
        let row = self.corpus.chunk_cache.chunk(cached, at, |id| self.snapshot.store.place(id))?;
        Ok(row.map(|row| LoadedChunk { file, row }))
    }

    /// The catalogue number of each file.
    pub(super) fn file_numbers(&self) -> Vec<u32> {
        let number = |file: &Arc<CachedFile>| self.corpus.catalogue.find(file.id).unwrap_or(0);
        self.files.iter().map(number).collect()
    }
}

impl Snapshot {
    /// An indexed file with the ids of its chunks.
    pub(super) fn cached_file(
        &self,
        corpus: &Corpus,
        id: FileId,
    ) -> Result<Option<Arc<CachedFile>>, EngineError> {
        corpus.chunk_cache.file(corpus.generation, id, || {
            let Some(row) = self.store.file_by_id(id)?.filter(|row| row.status == INDEXED) else {
                return Ok(None);
            };
            Ok(Some(CachedFile::new(row, self.store.chunk_ids(id)?)))
        })
    }
}

impl LoadedChunk {
    /// Whether it is a whole symbol, or the head of a large one.
    pub(super) fn defines(&self) -> bool {
        matches!(self.chunk.kind, ChunkKind::Symbol | ChunkKind::Head)
    }

    /// Whether it matches the query's symbol filters.
    pub(super) fn fits(&self, query: &SearchQuery) -> bool {
        let symbol = self.symbol.as_ref();
        (query.kinds.is_empty()
            || symbol.is_some_and(|symbol| symbol.kind.is_among(symbol.modifiers, &query.kinds)))
            && (!query.symbols_only || (self.defines() && symbol.is_some()))
            && query
                .symbols
                .as_ref()
                .is_none_or(|symbols| self.symbol.as_ref().is_some_and(|symbol| symbols.contains(&symbol.id)))
    }

    /// Whether it is a test, or inside a test module.
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
