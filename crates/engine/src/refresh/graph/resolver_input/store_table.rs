//! The symbol table of an uncommitted change set, or of a snapshot: threads query the database in turn, and answers are cached.

use super::{SymbolTable, id};
use orient_model::{Node, RepoPath};
use orient_store::{
    ChangeSet, FileId, GraphReader, IndexedFile, NodeId, PreparedGraph, Snapshot, StoreError, SymbolEntry,
    SymbolId,
};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of cached answers of a kind.
const MAX_CACHED_ANSWERS: usize = 1 << 15;

/// What the graph can be read from.
pub(crate) trait GraphSource: Send {
    fn reader(&self) -> GraphReader<'_>;
}

impl GraphSource for &mut ChangeSet<'_> {
    fn reader(&self) -> GraphReader<'_> {
        ChangeSet::reader(self)
    }
}

impl GraphSource for Snapshot {
    fn reader(&self) -> GraphReader<'_> {
        Self::reader(self)
    }
}

/// A change set whose files are final and whose graph is being written.
pub(crate) type ChangeSetTable<'s, 'w> = StoreTable<&'s mut ChangeSet<'w>>;
/// A generation of an index.
pub(crate) type SnapshotTable = StoreTable<Snapshot>;

/// The symbol table of a store.
pub(crate) struct StoreTable<S> {
    state: Mutex<TableState<S>>,
}

struct TableState<S> {
    source: S,
    files: HashMap<FileId, Option<IndexedFile>>,
    names: HashMap<(Box<str>, Box<str>), Vec<SymbolEntry>>,
    ids: HashMap<FileId, Vec<SymbolId>>,
    /// The first error; later answers are meaningless.
    fault: Option<StoreError>,
}

impl ChangeSetTable<'_, '_> {
    /// Writes the edges of a file.
    pub(crate) fn put(&self, graph: &PreparedGraph) -> Result<(), StoreError> {
        self.lock().source.put_graph(graph)
    }
}

impl<S> StoreTable<S> {
    pub(crate) fn new(source: S) -> Self {
        let (files, names, ids) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { state: Mutex::new(TableState { source, files, names, ids, fault: None }) }
    }

    /// Returns the first error of a lookup, if any.
    pub(crate) fn finish(self) -> Result<(), StoreError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.fault.map_or(Ok(()), Err)
    }

    fn lock(&self) -> MutexGuard<'_, TableState<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: GraphSource> TableState<S> {
    fn read<T: Default>(&mut self, read: impl FnOnce(&GraphReader<'_>) -> Result<T, StoreError>) -> T {
        match read(&self.source.reader()) {
            Ok(value) => value,
            Err(error) => {
                self.fault.get_or_insert(error);
                T::default()
            }
        }
    }
}

/// Caches an answer.
fn cache<K: Hash + Eq, V>(answers: &mut HashMap<K, V>, key: K, value: V) {
    if answers.len() >= MAX_CACHED_ANSWERS {
        answers.clear();
    }
    answers.insert(key, value);
}

impl<S: GraphSource> SymbolTable for StoreTable<S> {
    fn file_at(&self, path: &RepoPath) -> Option<FileId> {
        self.lock().read(|reader| reader.indexed_at(path)).map(|file| file.id)
    }

    fn file(&self, id: FileId) -> Option<IndexedFile> {
        let mut state = self.lock();
        if let Some(known) = state.files.get(&id) {
            return known.clone();
        }
        let file = state.read(|reader| reader.indexed(id));
        cache(&mut state.files, id, file.clone());
        file
    }

    fn named(&self, name: &str, languages: &[&str]) -> Vec<SymbolEntry> {
        let mut state = self.lock();
        // Families share no language, so the first language identifies the family.
        let key = (languages.first().copied().unwrap_or_default().into(), name.into());
        if let Some(known) = state.names.get(&key) {
            return known.clone();
        }
        let found = state.read(|reader| reader.symbols_named(name, languages));
        cache(&mut state.names, key, found.clone());
        found
    }

    fn directory(&self, directory: &[u8]) -> Vec<FileId> {
        self.lock().read(|reader| reader.files_in_directory(directory))
    }

    fn ending(&self, path: &[u8]) -> Vec<FileId> {
        self.lock().read(|reader| reader.files_ending_with(path))
    }

    fn manifests(&self) -> Vec<FileId> {
        self.lock().read(|reader: &GraphReader<'_>| reader.project_files())
    }

    fn node(&self, node: Node) -> Option<NodeId> {
        let file = id(node.file);
        let Some(at) = node.symbol else { return Some(NodeId::from(file)) };
        let mut state = self.lock();
        if !state.ids.contains_key(&file) {
            let ids = state.read(|reader| reader.symbol_ids(file));
            cache(&mut state.ids, file, ids);
        }
        state.ids.get(&file)?.get(at as usize).copied().map(NodeId::from)
    }
}
