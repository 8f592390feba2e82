//! The history of a symbol: the commits that changed its text, through renames of the symbol, renames of its file and moves to
//! another file.

use crate::changed_symbols::{SymbolRow, of_path};
use crate::history_index::HistoryIndex;
use crate::indexed_paths::{IndexedPathLog, PathLogStep};
use crate::version_cache::VersionCache;
use orient_engine::{ChangeParts, FileVersion, SymbolDelta, SymbolVersion};
use orient_history::{ChangeKind, History, HistoryError, Oid};
use orient_model::{Handle, RepoPath, SymbolKind};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Maximum number of moves to other files that are followed.
const MAX_MOVES: usize = 10;

/// A commit that changed a symbol. Paths count from the top of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolLogEntry {
    /// The commit.
    pub commit: Oid,
    /// The file after the commit.
    pub path: Vec<u8>,
    /// The file before, if it was renamed, copied or the symbol was moved.
    pub old_path: Option<Vec<u8>>,
    /// What happened.
    pub parts: ChangeParts,
    /// The qualified name after the commit; before it, if the commit removed the symbol.
    pub name: String,
    /// The qualified name before, if it was another.
    pub old_name: Option<String>,
    /// Whether the symbol comes from a file that still exists elsewhere in the commit.
    pub is_moved: bool,
}

/// Called with each commit that changed the symbol. Breaks to end the search.
pub type VisitSymbol<'v> =
    dyn FnMut(&mut History, SymbolLogEntry) -> Result<ControlFlow<()>, HistoryError> + 'v;

/// Follows a symbol backwards.
pub struct SymbolLog {
    kind: SymbolKind,
    /// The qualified names that the symbol has had, latest last.
    names: Vec<String>,
    versions: VersionCache,
}

impl SymbolLog {
    /// The log of a symbol with a qualified name.
    pub fn new(name: String, kind: SymbolKind) -> Self {
        Self { kind, names: vec![name], versions: VersionCache::default() }
    }

    /// Visits the commits that changed the symbol, newest first.
    pub fn run(
        &mut self,
        index: &mut HistoryIndex,
        history: &mut History,
        start: Oid,
        path: &RepoPath,
        visit: &mut VisitSymbol<'_>,
    ) -> Result<(), HistoryError> {
        let mut starts = vec![(start, history.path_from_top(path))];
        let mut seen = BTreeSet::new();
        for _ in 0..MAX_MOVES {
            let Some((start, path)) = starts.pop() else { break };
            let mut log = IndexedPathLog::new(index, history, start, &path)?;
            while let Some(step) = log.next(index, history)? {
                let Some(entry) = self.compare(index, history, &step)? else { continue };
                if !seen.insert(entry.commit) {
                    continue;
                }
                if let Some(source) = entry.old_path.as_ref().filter(|_| entry.is_moved)
                    && let Some(parent) = history.parents(&entry.commit)?.first()
                {
                    starts.push((*parent, source.clone()));
                }
                if visit(history, entry)?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// What a commit did to the symbol, if anything.
    fn compare(
        &mut self,
        index: &mut HistoryIndex,
        history: &mut History,
        step: &PathLogStep,
    ) -> Result<Option<SymbolLogEntry>, HistoryError> {
        let entry = |parts, name: &str, old_name: Option<String>| SymbolLogEntry {
            commit: step.commit,
            path: step.path.clone(),
            old_path: step.old_path.clone(),
            parts,
            name: name.to_owned(),
            old_name,
            is_moved: false,
        };
        if step.kind == ChangeKind::Copied {
            // A file that was split: the symbol left the file that it was in.
            let change =
                history.path_change(&step.commit, &step.path, step.old_path.as_deref(), step.kind)?;
            let new = self.versions.get(history, &step.path, change.new, None)?;
            let old_path = step.old_path.as_ref().unwrap_or(&step.path);
            let old = self.versions.get(history, old_path, change.old, Some(&new))?;
            let after = self.find(&new);
            if let (Some(before), Some(after)) = (self.find(&old), after) {
                let parts = ChangeParts::MOVED.with(SymbolDelta::between(before, after).into());
                return Ok(Some(entry(parts, &after.name, None)));
            }
            return Ok(after.map(|after| entry(ChangeParts::ADDED, &after.name, None)));
        }
        let rows = self.rows(index, history, step)?;
        let Some(name) = self
            .names
            .iter()
            .rev()
            .find(|name| rows.iter().any(|(row, _)| row.kind == self.kind && row.name == **name))
        else {
            return Ok(None);
        };
        let mut found = rows.iter().filter(|(row, _)| row.kind == self.kind && row.name == *name);
        let Some((first, moved_from)) = found.next() else { return Ok(None) };
        // Overloads share name and kind.
        let parts = found.fold(ChangeParts(first.parts), |all, (row, _)| all.with(ChangeParts(row.parts)));
        let mut entry = entry(parts, &first.name, first.old_name.clone());
        if let Some(source) = moved_from {
            entry.old_path = Some(source.clone());
            entry.is_moved = true;
        }
        if let Some(old) = &first.old_name
            && !self.names.contains(old)
        {
            self.names.push(old.clone());
        }
        Ok(Some(entry))
    }

    /// The changed symbols of the file that may be about the symbol.
    fn rows(
        &mut self,
        index: &mut HistoryIndex,
        history: &mut History,
        step: &PathLogStep,
    ) -> Result<Vec<SymbolRow>, HistoryError> {
        let path_id = step.number.filter(|number| index.graph.has_symbols(*number));
        let path_id = path_id.and_then(|_| index.cache.history_path_id(&step.path));
        if let (Some(number), Some(path)) = (step.number, path_id)
            && let Some(row) = index.symbols_of(path).get(&number)
        {
            let own_name = |name: &String| Handle::split(name).pop().unwrap_or_default();
            if !self.names.iter().any(|name| row.mentions(&own_name(name))) {
                return Ok(Vec::new());
            }
            let with_path = |symbol: orient_store::ChangedSymbol| {
                let moved_from = symbol.old_path.and_then(|old| index.cache.history_path(old));
                (symbol, moved_from)
            };
            return Ok(row.symbols().into_iter().map(with_path).collect());
        }
        of_path(history, &mut self.versions, &step.commit, &step.path)
    }

    /// The symbol under its latest name that a version has.
    fn find<'v>(&self, version: &'v FileVersion) -> Option<&'v SymbolVersion> {
        self.names.iter().rev().find_map(|name| version.find(name, self.kind))
    }
}
