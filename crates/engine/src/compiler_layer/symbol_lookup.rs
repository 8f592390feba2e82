//! The symbols of ours at the places that compilers name.

use crate::refresh::FactsSource;
use crate::{Engine, EngineError, Snapshot};
use orient_model::{CompiledSymbol, ContentHash, Outline, RepoPath};
use orient_resolve::FileFacts;
use orient_walk::TreeReader;
use std::sync::Arc;

/// Memory for the facts of files that are read, in bytes.
const FACTS_MEMORY: u64 = 64 << 20;

/// An indexed file with its text and its facts.
pub(super) struct ReadFile {
    pub(super) hash: ContentHash,
    pub(super) text: String,
    pub(super) facts: Arc<FileFacts>,
}

/// Reads indexed files.
pub(super) struct FileReader<'e> {
    pub(super) snapshot: &'e Snapshot,
    pub(super) facts: FactsSource,
    pub(super) tree: Box<dyn TreeReader>,
}

impl<'e> FileReader<'e> {
    /// Reads the files of a snapshot of an engine.
    pub(super) fn new(engine: &Engine, snapshot: &'e Snapshot) -> Result<Self, EngineError> {
        let limit = engine.settings.index.max_file_size.bytes();
        let facts = FactsSource::new(engine.paths.cache(), engine.tree.open()?, limit, FACTS_MEMORY);
        Ok(Self { snapshot, facts, tree: engine.tree.open()? })
    }

    /// The file at a path as it was indexed, or why it cannot be read.
    pub(super) fn read(&self, path: &RepoPath) -> Result<Result<ReadFile, &'static str>, EngineError> {
        let Some(indexed) = self.snapshot.store.reader().indexed_at(path)? else {
            return Ok(Err("the file is not in the index"));
        };
        let content =
            self.tree.read(path, u64::MAX).ok().filter(|content| Some(content.hash) == indexed.hash);
        let text = content.and_then(|content| String::from_utf8(content.bytes.clone()).ok());
        let (Some(text), Some(facts), Some(hash)) = (text, self.facts.read(&indexed), indexed.hash) else {
            return Ok(Err("the file cannot be read"));
        };
        Ok(Ok(ReadFile { hash, text, facts }))
    }
}

/// A symbol of a file, by its qualified name.
pub(super) fn compiled_symbol(path: &RepoPath, outline: &Outline, at: u32) -> CompiledSymbol {
    CompiledSymbol {
        path: path.clone(),
        names: outline.qualified(at).into_iter().map(str::to_owned).collect(),
        ordinal: outline.symbols[at as usize].ordinal,
        hint: at,
        content: None,
    }
}

/// Our symbol whose name is at an offset, or the one of that name on that line.
pub(super) fn symbol_at(outline: &Outline, at: u32, line: u32, name: &str) -> Option<u32> {
    let symbols = || outline.symbols.iter().enumerate();
    let exact = symbols().find(|(_, symbol)| symbol.name_span.start == at);
    let by_name = || {
        let is_it = |symbol: &orient_model::Symbol| {
            symbol.name_span.first_line == line && outline.strings.get(symbol.name) == name
        };
        symbols().find(|(_, symbol)| is_it(symbol))
    };
    exact.or_else(by_name).map(|(at, _)| at as u32)
}
