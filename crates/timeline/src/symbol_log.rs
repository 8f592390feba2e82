//! The history of a symbol: the commits that changed its text, through renames of the symbol, renames of its file and moves to
//! another file.

use crate::changed_symbols::{SymbolRow, of_path};
use crate::history_index::HistoryIndex;
use crate::indexed_paths::{IndexedPathLog, PathLogStep};
use crate::version_cache::VersionCache;
use orient_engine::{ChangeParts, FileVersion, SymbolVersion, is_same_kind};
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
    /// What happened; nothing if the commit renamed the file and left the symbol as it was.
    pub parts: ChangeParts,
    /// The qualified name after the commit; before it, if the commit removed the symbol.
    pub name: String,
    /// The qualified name before, if it was another.
    pub old_name: Option<String>,
    /// Whether the symbol comes from another file, which the commit did not rename.
    pub is_moved: bool,
}

impl SymbolLogEntry {
    /// Whether the commit only renamed the file.
    pub fn is_file_rename(&self) -> bool {
        self.parts == ChangeParts::default()
    }
}

/// Called with each commit that changed the symbol or renamed its file. Breaks to end the search.
pub type VisitSymbol<'v> =
    dyn FnMut(&mut History, SymbolLogEntry) -> Result<ControlFlow<()>, HistoryError> + 'v;

/// Follows a symbol backwards.
pub struct SymbolLog {
    kind: SymbolKind,
    /// The qualified names that the symbol has had, latest last.
    names: Vec<String>,
    versions: VersionCache,
    /// The ancestors of the commits that brought the symbol to the file: what they changed there was an earlier symbol of its name.
    before_it: Vec<Ancestors>,
    /// The last commit that changed an earlier symbol of its name.
    earlier: Option<Oid>,
}

/// The ancestors of a commit, found when they are first needed.
struct Ancestors {
    of: Oid,
    found: Option<BTreeSet<Oid>>,
}

impl SymbolLog {
    /// The log of a symbol with a qualified name.
    pub fn new(name: String, kind: SymbolKind) -> Self {
        let (names, versions) = (vec![name], VersionCache::default());
        Self { kind, names, versions, before_it: Vec::new(), earlier: None }
    }

    /// The last commit that changed an earlier symbol of the same name, which is not part of the log.
    pub fn earlier(&self) -> Option<Oid> {
        self.earlier
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
            self.before_it.clear();
            let mut log = IndexedPathLog::new(index, history, start, &path)?;
            while let Some(step) = log.next(index, history)? {
                let Some(entry) = self.compare(index, history, &step)? else { continue };
                // The file that the symbol was moved from is visited later, and may have the same commits.
                if self.is_before_it(index, history, &entry.commit)? {
                    if !entry.is_file_rename() {
                        self.earlier.get_or_insert(entry.commit);
                    }
                    continue;
                }
                if !seen.insert(entry.commit) {
                    continue;
                }
                self.earlier = self.earlier.filter(|earlier| *earlier != entry.commit);
                if entry.is_moved || entry.parts.contains(ChangeParts::ADDED) {
                    self.before_it.push(Ancestors { of: entry.commit, found: None });
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

    /// Whether a commit is an ancestor of one that brought the symbol to the file.
    fn is_before_it(
        &mut self,
        index: &mut HistoryIndex,
        history: &mut History,
        commit: &Oid,
    ) -> Result<bool, HistoryError> {
        for ancestors in &mut self.before_it {
            if ancestors.found.is_none() {
                ancestors.found = Some(index.ancestors(history, &ancestors.of)?);
            }
            if ancestors.found.as_ref().is_some_and(|found| found.contains(commit)) {
                return Ok(true);
            }
        }
        Ok(false)
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
        let rows = self.rows(index, history, step)?;
        let is_it = |row: &SymbolRow, name: &str| is_same_kind(row.0.kind, self.kind) && row.0.name == name;
        let Some(name) = self.names.iter().rev().find(|name| rows.iter().any(|row| is_it(row, name))) else {
            let is_renamed = step.kind == ChangeKind::Renamed && self.is_mentioned(history, step)?;
            let name = self.names.last().filter(|_| is_renamed);
            return Ok(name.map(|name| entry(ChangeParts::default(), name, None)));
        };
        let mut found = rows.iter().filter(|row| is_it(row, name));
        let Some((first, moved_from)) = found.next() else { return Ok(None) };
        // Overloads share name and kind.
        let parts = found.fold(ChangeParts(first.parts), |all, (row, _)| all.with(ChangeParts(row.parts)));
        let mut entry = entry(parts, &first.name, first.old_name.clone());
        if step.kind == ChangeKind::Copied && moved_from.is_none() {
            // The symbol stays where the file was copied from, if it was there: this one is new.
            entry.old_path = self.copied_from(history, step)?;
        }
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

    /// Whether the file has the name of the symbol: on a branch that has not got the symbol yet, its file may be renamed too.
    fn is_mentioned(&mut self, history: &mut History, step: &PathLogStep) -> Result<bool, HistoryError> {
        let change = history.path_change(&step.commit, &step.path, step.old_path.as_deref(), step.kind)?;
        let content = self.versions.content(history, change.new)?;
        let mut own_names = self.names.iter().filter_map(|name| Handle::split(name).pop());
        Ok(own_names.any(|name| {
            !name.is_empty() && content.windows(name.len()).any(|window| window == name.as_bytes())
        }))
    }

    /// The file that a file was copied from, if the symbol was in it.
    fn copied_from(
        &mut self,
        history: &mut History,
        step: &PathLogStep,
    ) -> Result<Option<Vec<u8>>, HistoryError> {
        let Some(source) = &step.old_path else { return Ok(None) };
        let change = history.path_change(&step.commit, &step.path, Some(source), step.kind)?;
        let old = self.versions.get(history, source, change.old, None)?;
        Ok(self.find(&old).map(|_| source.clone()))
    }

    /// The symbol under its latest name that a version has.
    fn find<'v>(&self, version: &'v FileVersion) -> Option<&'v SymbolVersion> {
        self.names.iter().rev().find_map(|name| version.find(name, self.kind))
    }
}
