//! The table of a change set on its way: threads ask the database in turn, and what it said is remembered.

use super::{Table, id};
use orient_model::{Node, RepoPath};
use orient_store::{
    ChangeSet, FileId, GraphReader, IndexedFile, NamedSymbol, NodeId, PreparedGraph, StoreError, SymbolId,
};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many answers of a kind are remembered before starting over.
const REMEMBERED: usize = 1 << 15;

/// A change set whose files are final and whose graph is being written.
pub(crate) struct Live<'s, 'w> {
    state: Mutex<State<'s, 'w>>,
}

struct State<'s, 'w> {
    set: &'s mut ChangeSet<'w>,
    files: HashMap<FileId, Option<IndexedFile>>,
    names: HashMap<(Box<str>, Box<str>), Vec<NamedSymbol>>,
    ids: HashMap<FileId, Vec<SymbolId>>,
    /// The first thing that went wrong; the answers since then mean nothing.
    fault: Option<StoreError>,
}

impl<'s, 'w> Live<'s, 'w> {
    pub(crate) fn new(set: &'s mut ChangeSet<'w>) -> Self {
        let (files, names, ids) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { state: Mutex::new(State { set, files, names, ids, fault: None }) }
    }

    /// Writes what resolving a file gave.
    pub(crate) fn put(&self, graph: &PreparedGraph) -> Result<(), StoreError> {
        self.lock().set.put_graph(graph)
    }

    /// Whether all that was asked could be answered.
    pub(crate) fn finish(self) -> Result<(), StoreError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.fault.map_or(Ok(()), Err)
    }

    fn lock(&self) -> MutexGuard<'_, State<'s, 'w>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State<'_, '_> {
    fn read<T: Default>(&mut self, read: impl FnOnce(&GraphReader<'_>) -> Result<T, StoreError>) -> T {
        match read(&self.set.reader()) {
            Ok(value) => value,
            Err(error) => {
                self.fault.get_or_insert(error);
                T::default()
            }
        }
    }
}

/// Puts an answer where it is found again.
fn remember<K: Hash + Eq, V>(answers: &mut HashMap<K, V>, key: K, value: V) {
    if answers.len() >= REMEMBERED {
        answers.clear();
    }
    answers.insert(key, value);
}

impl Table for Live<'_, '_> {
    fn file_at(&self, path: &RepoPath) -> Option<FileId> {
        self.lock().read(|reader| reader.indexed_at(path)).map(|file| file.id)
    }

    fn file(&self, id: FileId) -> Option<IndexedFile> {
        let mut state = self.lock();
        if let Some(known) = state.files.get(&id) {
            return known.clone();
        }
        let file = state.read(|reader| reader.indexed(id));
        remember(&mut state.files, id, file.clone());
        file
    }

    fn named(&self, name: &str, languages: &[&str]) -> Vec<NamedSymbol> {
        let mut state = self.lock();
        // Families share no language, so the first one tells them apart.
        let key = (languages.first().copied().unwrap_or_default().into(), name.into());
        if let Some(known) = state.names.get(&key) {
            return known.clone();
        }
        let found = state.read(|reader| reader.symbols_named(name, languages));
        remember(&mut state.names, key, found.clone());
        found
    }

    fn folder(&self, folder: &[u8]) -> Vec<FileId> {
        self.lock().read(|reader| reader.files_in_directory(folder))
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
            remember(&mut state.ids, file, ids);
        }
        state.ids.get(&file)?.get(at as usize).copied().map(NodeId::from)
    }
}
