//! Updates the graph in a change set: finds the files that it invalidates, and resolves them.

use super::dependency_index::ChangeSetDependencies;
use super::interface_diff::ChangedPath;
use super::invalidation::{Invalidation, invalidate};
use super::resolve_files::{GraphResolver, ResolveOutcome};
use super::resolver_input::{ChangeSetTable, has_rules};
use crate::progress::Pause;
use crate::{Engine, EngineError};
use orient_model::RepoPath;
use orient_store::{Change, ChangeSet, FileId, InMemorySymbolTable, IndexedFile, StoreError};
use std::collections::BTreeMap;

/// Minimum number of files for which loading all symbol names first pays, and the maximum number of symbols to load.
const MIN_FILES_FOR_DIRECTORY: usize = 300;
const MAX_DIRECTORY_SYMBOLS: u64 = 2 << 20;

/// The files that must be resolved.
pub(crate) struct FilesToResolve {
    /// The files, by path.
    pub(crate) files: Vec<FileId>,
    /// All symbol names, if they were loaded.
    pub(crate) symbols: Option<InMemorySymbolTable>,
}

/// The indexed file at each path before the change.
pub(crate) type PathsBefore = BTreeMap<RepoPath, Option<IndexedFile>>;

/// The files to resolve: those that the change set invalidates, and those that were owed before.
pub(crate) fn files_to_resolve(
    engine: &Engine,
    set: &mut ChangeSet<'_>,
    resolver: &GraphResolver<'_>,
    paths_before: PathsBefore,
    outdated: bool,
) -> Result<FilesToResolve, EngineError> {
    set.settle()?;
    let mut symbols = None;
    let invalidation = if outdated {
        set.set_resolver(engine.resolution_version());
        Invalidation::Everything
    } else {
        let mut changes = Vec::with_capacity(paths_before.len());
        for (path, before) in paths_before {
            let after = set.reader().indexed_at(&path)?;
            let mut change = ChangedPath::new(path, before, after);
            if change.joins_directory() {
                change.siblings = set.reader().files_in_directory(change.path.directory())?;
            }
            changes.push(change);
        }
        let (file_changes, loaded) = resolver.compare(&changes, || load_symbols(set, changes.len()))?;
        symbols = loaded;
        invalidate(&file_changes, set.severed(), &mut ChangeSetDependencies::new(set))?
    };
    let mut found = match invalidation {
        Invalidation::Everything => set.reader().indexed_under(b"")?,
        Invalidation::Files(mut files) => {
            files.extend(set.owed()?);
            let mut found = Vec::with_capacity(files.len());
            for file in files {
                found.extend(set.reader().indexed(file)?);
            }
            found
        }
    };
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    let (files, others): (Vec<_>, Vec<_>) = found.iter().partition(|file| has_rules(file));
    for file in others {
        set.clear_graph(file.id)?;
    }
    Ok(FilesToResolve { files: files.iter().map(|file| file.id).collect(), symbols })
}

/// Resolves the files that a change set invalidates.
pub(crate) fn resolve_invalidated(
    set: &mut ChangeSet<'_>,
    resolver: &GraphResolver<'_>,
    to_resolve: &mut FilesToResolve,
) -> Result<ResolveOutcome, EngineError> {
    match to_resolve.symbols(set)? {
        Some(symbols) => resolver.resolve(&symbols, &to_resolve.files, None, |graph| set.put_graph(graph)),
        None => resolve_in_change_set(set, resolver, &to_resolve.files, None),
    }
}

/// Resolves files with lookups in the change set instead of preloaded names.
pub(crate) fn resolve_in_change_set(
    set: &mut ChangeSet<'_>,
    resolver: &GraphResolver<'_>,
    files: &[FileId],
    pause: Option<&Pause>,
) -> Result<ResolveOutcome, EngineError> {
    let table = ChangeSetTable::new(set);
    let outcome = resolver.resolve(&table, files, pause, |graph| table.put(graph))?;
    table.finish()?;
    Ok(outcome)
}

impl FilesToResolve {
    /// All symbol names, if they were loaded or loading them pays.
    pub(crate) fn symbols(&mut self, set: &ChangeSet<'_>) -> Result<Option<InMemorySymbolTable>, StoreError> {
        match self.symbols.take() {
            None => load_symbols(set, self.files.len()),
            loaded => Ok(loaded),
        }
    }
}

/// All symbol names, if enough files are resolved that loading them pays.
fn load_symbols(set: &ChangeSet<'_>, files: usize) -> Result<Option<InMemorySymbolTable>, StoreError> {
    if files < MIN_FILES_FOR_DIRECTORY { Ok(None) } else { set.reader().symbol_table(MAX_DIRECTORY_SYMBOLS) }
}

/// Records the indexed file at the path of a change, the first time the path changes.
pub(crate) fn record_before(
    paths_before: &mut PathsBefore,
    set: &ChangeSet<'_>,
    change: &Change,
) -> Result<(), StoreError> {
    let path = match change {
        Change::Put(put) => &put.path,
        Change::Remove(path) => path,
        Change::Restamp(..) => return Ok(()),
    };
    if !paths_before.contains_key(path) {
        paths_before.insert(path.clone(), set.reader().indexed_at(path)?);
    }
    Ok(())
}
