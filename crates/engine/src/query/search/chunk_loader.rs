//! A closer look at units: their chunk, their symbol, their file.

use super::chunk_cache::SeenFile;
use super::corpus::Corpus;
use super::hit::SearchQuery;
use crate::{EngineError, Snapshot};
use orient_model::{ChunkKind, Modifier, Modifiers, SymbolKind};
use orient_store::{ChunkDetails, FileId, INDEXED};
use rustc_hash::FxHashMap;
use std::ops::Deref;
use std::sync::Arc;

/// A unit that was looked at.
pub(super) struct Place {
    pub(super) file: u32,
    row: Arc<ChunkDetails>,
}

impl Deref for Place {
    type Target = ChunkDetails;

    fn deref(&self) -> &ChunkDetails {
        &self.row
    }
}

/// Looks at units; what was looked at before is not read again.
pub(super) struct Closer<'s> {
    snapshot: &'s Snapshot,
    corpus: &'s Corpus,
    pub(super) files: Vec<Arc<SeenFile>>,
    numbers: FxHashMap<FileId, u32>,
}

impl<'s> Closer<'s> {
    pub(super) fn new(snapshot: &'s Snapshot, corpus: &'s Corpus) -> Self {
        Self { snapshot, corpus, files: Vec::new(), numbers: FxHashMap::default() }
    }

    /// Looks at a unit; none where it is not there any more.
    pub(super) fn look(&mut self, unit: u32) -> Result<Option<Place>, EngineError> {
        let catalogue = &self.corpus.catalogue;
        let chunks = catalogue.file(catalogue.file_of(unit));
        let file = if let Some(&number) = self.numbers.get(&chunks.file) {
            number
        } else {
            let Some(seen) = self.snapshot.seen_file(self.corpus, chunks.file)? else { return Ok(None) };
            self.files.push(seen);
            let number = self.files.len() as u32 - 1;
            self.numbers.insert(chunks.file, number);
            number
        };
        let (seen, at) = (&self.files[file as usize], (unit - chunks.first) as usize);
        let row = self.corpus.looks.place(seen, at, |id| self.snapshot.store.place(id))?;
        Ok(row.map(|row| Place { file, row }))
    }

    /// The catalogue number of each file.
    pub(super) fn file_numbers(&self) -> Vec<u32> {
        let number = |file: &Arc<SeenFile>| self.corpus.catalogue.find(file.id).unwrap_or(0);
        self.files.iter().map(number).collect()
    }
}

impl Snapshot {
    /// An indexed file with its chunks.
    pub(super) fn seen_file(
        &self,
        corpus: &Corpus,
        id: FileId,
    ) -> Result<Option<Arc<SeenFile>>, EngineError> {
        corpus.looks.file(corpus.generation, id, || {
            let Some(row) = self.store.file_by_id(id)?.filter(|row| row.status == INDEXED) else {
                return Ok(None);
            };
            Ok(Some(SeenFile::new(row, self.store.chunk_ids(id)?)))
        })
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
