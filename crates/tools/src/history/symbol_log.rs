//! The history of a symbol: the commits that changed its text, through renames of the symbol, renames of its file and moves to
//! another file.

use orient_engine::{FileVersion, SAME_BODY, SymbolVersion};
use orient_history::{Blob, BlobKind, ChangeKind, History, HistoryError, Oid, PathChange};
use orient_model::{RepoPath, SymbolKind};
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Maximum number of moves to other files that are followed.
const MAX_MOVES: usize = 10;
/// Maximum number of files of a commit that are searched for the origin of a symbol.
const MAX_SEARCHED: usize = 60;
/// Maximum number of versions kept in memory.
const MAX_VERSIONS: usize = 400;

/// A commit that changed a symbol.
pub(crate) struct SymbolLogEntry {
    pub(crate) commit: Oid,
    pub(crate) change: PathChange,
    /// What happened: `added`, `removed`, `renamed`, `moved`, or the parts that changed.
    pub(crate) what: Vec<&'static str>,
    /// The symbol after the commit; absent if the commit removed it.
    pub(crate) new: Option<SymbolVersion>,
    /// The symbol before; absent if the commit added it.
    pub(crate) old: Option<SymbolVersion>,
    /// The file that the symbol was moved from.
    pub(crate) moved_from: Option<RepoPath>,
}

/// Called with each commit that changed the symbol. Breaks to end the search.
pub(crate) type VisitSymbol<'v> =
    dyn FnMut(&mut History, SymbolLogEntry) -> Result<ControlFlow<()>, HistoryError> + 'v;

/// Follows a symbol backwards.
pub(crate) struct SymbolLog {
    kind: SymbolKind,
    /// The qualified names that the symbol has had, latest last.
    names: Vec<String>,
    versions: HashMap<Oid, Arc<FileVersion>>,
}

impl SymbolLog {
    pub(crate) fn new(name: String, kind: SymbolKind) -> Self {
        Self { kind, names: vec![name], versions: HashMap::new() }
    }

    /// Visits the commits that changed the symbol, newest first.
    pub(crate) fn run(
        &mut self,
        history: &mut History,
        start: Oid,
        path: &RepoPath,
        visit: &mut VisitSymbol<'_>,
    ) -> Result<(), HistoryError> {
        let mut starts = vec![(start, path.clone())];
        let mut seen = BTreeSet::new();
        for _ in 0..MAX_MOVES {
            let Some((start, path)) = starts.pop() else { break };
            let mut stopped = false;
            history.path_log(start, &path, &mut |history, commit, change| {
                let Some(entry) = self.compare(history, commit, &change)? else {
                    return Ok(ControlFlow::Continue(()));
                };
                if !seen.insert(entry.commit) {
                    return Ok(ControlFlow::Continue(()));
                }
                if let Some(source) = &entry.moved_from
                    && let Some(parent) = history.parents(&entry.commit)?.first()
                {
                    starts.push((*parent, source.clone()));
                }
                let flow = visit(history, entry)?;
                stopped = flow.is_break();
                Ok(flow)
            })?;
            if stopped {
                break;
            }
        }
        Ok(())
    }

    fn compare(
        &mut self,
        history: &mut History,
        commit: Oid,
        change: &PathChange,
    ) -> Result<Option<SymbolLogEntry>, HistoryError> {
        let new = self.version(history, &change.path, change.new)?;
        let old_path = change.old_path.clone().unwrap_or_else(|| change.path.clone());
        let old = self.version(history, &old_path, change.old)?;
        let after = self.find(&new).cloned();
        let entry = |what, old, moved_from| SymbolLogEntry {
            commit,
            change: change.clone(),
            what,
            new: after.clone(),
            old,
            moved_from,
        };
        let before = self.find(&old).cloned();
        let Some(symbol) = &after else {
            return Ok(before.map(|before| entry(vec!["removed"], Some(before), None)));
        };
        if let Some(before) = before {
            // A file that was split: the symbol left the file that it was in.
            let is_split = change.kind == ChangeKind::Copied;
            let mut what = if is_split { vec!["moved"] } else { Vec::new() };
            what.extend(symbol.delta(&before).parts());
            return Ok((!what.is_empty()).then(|| entry(what, Some(before), None)));
        }
        if let Some(before) = new.renamed_from(&old, symbol).cloned() {
            self.names.push(before.name.clone());
            let mut what = vec!["renamed"];
            what.extend(symbol.delta(&before).parts().into_iter().filter(|part| *part != "signature"));
            return Ok(Some(entry(what, Some(before), None)));
        }
        if let Some((source, before)) = self.moved_from(history, &commit, &change.path, symbol)? {
            if !self.names.contains(&before.name) {
                self.names.push(before.name.clone());
            }
            return Ok(Some(entry(vec!["moved"], Some(before), Some(source))));
        }
        Ok(Some(entry(vec!["added"], None, None)))
    }

    /// The file and symbol that a commit moved a symbol from: one of the same kind with the same own name or a similar body,
    /// which the commit removed.
    fn moved_from(
        &mut self,
        history: &mut History,
        commit: &Oid,
        path: &RepoPath,
        symbol: &SymbolVersion,
    ) -> Result<Option<(RepoPath, SymbolVersion)>, HistoryError> {
        let changes = history.changes_of(commit)?;
        let own_name = symbol.own_name();
        let mut best: Option<(f64, RepoPath, SymbolVersion)> = None;
        for change in changes.iter().filter(|change| change.path != *path).take(MAX_SEARCHED) {
            let old_path = change.old_path.as_ref().unwrap_or(&change.path);
            let old = self.version(history, old_path, change.old)?;
            let candidates = old.symbols.iter().filter(|other| other.kind == symbol.kind);
            let near: Vec<&SymbolVersion> = candidates
                .filter(|other| {
                    symbol.similarity(other) >= if other.own_name() == own_name { 0.5 } else { SAME_BODY }
                })
                .collect();
            if near.is_empty() {
                continue;
            }
            let new = self.version(history, &change.path, change.new)?;
            for other in near.into_iter().filter(|other| new.find(&other.name, other.kind).is_none()) {
                let score = symbol.similarity(other);
                if best.as_ref().is_none_or(|(most, ..)| score > *most) {
                    best = Some((score, old_path.clone(), other.clone()));
                }
            }
        }
        Ok(best.map(|(_, path, symbol)| (path, symbol)))
    }

    /// The symbol under its latest name that a version has.
    fn find<'v>(&self, version: &'v FileVersion) -> Option<&'v SymbolVersion> {
        self.names.iter().rev().find_map(|name| version.find(name, self.kind))
    }

    fn version(
        &mut self,
        history: &mut History,
        path: &RepoPath,
        blob: Option<Blob>,
    ) -> Result<Arc<FileVersion>, HistoryError> {
        let Some(blob) = blob.filter(|blob| blob.kind == BlobKind::File) else { return Ok(Arc::default()) };
        if let Some(known) = self.versions.get(&blob.id) {
            return Ok(Arc::clone(known));
        }
        let version = Arc::new(FileVersion::extract(path, &history.content(Some(blob))?));
        if self.versions.len() >= MAX_VERSIONS {
            self.versions.clear();
        }
        self.versions.insert(blob.id, Arc::clone(&version));
        Ok(version)
    }
}
