//! Changes of paths from the history index, and from git where the index has none.

use crate::history_index::HistoryIndex;
use orient_history::{
    ChangeKind, CommitNumber, CommitNumbers, History, HistoryError, Oid, PathLog, PathNumber, PathSource,
    PathStep,
};
use orient_model::RepoPath;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// A path of a log: the commit, and how it changed the path.
pub(crate) struct PathLogStep {
    pub(crate) commit: Oid,
    /// Its number in the index.
    pub(crate) number: Option<u32>,
    pub(crate) path: Vec<u8>,
    pub(crate) old_path: Option<Vec<u8>>,
    pub(crate) kind: ChangeKind,
}

/// Follows a path through the index and through git. Commits of the index have their numbers there; others follow.
pub(crate) struct IndexedPathLog {
    log: PathLog,
    numbers: CommitNumbers,
    /// The numbers of paths in the index.
    path_ids: HashMap<PathNumber, Option<u32>>,
}

struct IndexedPaths<'s> {
    index: &'s mut HistoryIndex,
    history: &'s mut History,
    numbers: &'s mut CommitNumbers,
    path_ids: &'s mut HashMap<PathNumber, Option<u32>>,
}

/// Visits the commits that changed a file, newest first, through renames and copies.
pub fn path_log(
    index: &mut HistoryIndex,
    history: &mut History,
    start: Oid,
    path: &RepoPath,
    visit: &mut orient_history::Visit<'_, orient_history::PathChange>,
) -> Result<(), HistoryError> {
    let path = history.path_from_top(path);
    let mut log = IndexedPathLog::new(index, history, start, &path)?;
    while let Some(step) = log.next(index, history)? {
        let change = history.path_change(&step.commit, &step.path, step.old_path.as_deref(), step.kind)?;
        if visit(history, step.commit, change)? == ControlFlow::Break(()) {
            break;
        }
    }
    Ok(())
}

impl IndexedPathLog {
    pub(crate) fn new(
        index: &mut HistoryIndex,
        history: &mut History,
        start: Oid,
        path: &[u8],
    ) -> Result<Self, HistoryError> {
        let (mut log, mut numbers, mut path_ids) =
            (PathLog::default(), CommitNumbers::default(), HashMap::new());
        let path = numbers.path(path);
        let mut source = IndexedPaths { index, history, numbers: &mut numbers, path_ids: &mut path_ids };
        let start = source.number(&start, false);
        log.push(&mut source, start, path)?;
        Ok(Self { log, numbers, path_ids })
    }

    pub(crate) fn next(
        &mut self,
        index: &mut HistoryIndex,
        history: &mut History,
    ) -> Result<Option<PathLogStep>, HistoryError> {
        let mut source =
            IndexedPaths { index, history, numbers: &mut self.numbers, path_ids: &mut self.path_ids };
        let Some(entry) = self.log.next(&mut source)? else { return Ok(None) };
        Ok(Some(PathLogStep {
            commit: source.id(entry.commit),
            number: (entry.commit < source.index.graph.len()).then_some(entry.commit),
            path: source.numbers.path_bytes(entry.path).to_vec(),
            old_path: entry.step.old_path.map(|path| source.numbers.path_bytes(path).to_vec()),
            kind: entry.step.kind,
        }))
    }
}

impl IndexedPaths<'_> {
    /// The number of a commit: that of the index, or one after all of those.
    fn number(&mut self, id: &Oid, is_one_of_many: bool) -> CommitNumber {
        let known = if is_one_of_many { self.index.number_of_many(id) } else { self.index.number(id) };
        known.unwrap_or_else(|| self.index.graph.len() + self.numbers.commit(id))
    }

    fn id(&self, commit: CommitNumber) -> Oid {
        match self.index.id(commit) {
            Some(id) => id,
            None => self.numbers.commit_id(commit - self.index.graph.len()),
        }
    }

    /// The number of a path in the index.
    fn path_id(&mut self, path: PathNumber) -> Option<u32> {
        let (index, numbers) = (&mut *self.index, &*self.numbers);
        *self.path_ids.entry(path).or_insert_with(|| index.cache.history_path_id(numbers.path_bytes(path)))
    }

    /// Where an added file was copied from; found out once and kept.
    fn copied_from(
        &mut self,
        commit: CommitNumber,
        path: PathNumber,
        id: u32,
    ) -> Result<Option<PathStep>, HistoryError> {
        let added = PathStep { kind: ChangeKind::Added, old_path: None };
        let is_root =
            self.index.graph.commit(commit).is_some_and(|node| node.parents.is_empty() && !node.is_cut);
        if is_root {
            return Ok(Some(added));
        }
        if let Some((kind, source)) = self.index.cache.history_copy(commit, id) {
            let Some(source) = source else { return Ok(Some(added)) };
            if let (Some(kind), Some(source)) =
                (ChangeKind::from_number(kind), self.index.cache.history_path(source))
            {
                return Ok(Some(PathStep { kind, old_path: Some(self.numbers.path(&source)) }));
            }
        }
        let bytes = self.numbers.path_bytes(path).to_vec();
        let found = self.history.copied_from(&self.id(commit), &bytes)?;
        let kind = found.as_ref().map_or(ChangeKind::Added, |(kind, _)| *kind);
        let source = found.as_ref().map(|(_, source)| source.as_slice());
        self.index.cache.put_history_copy(commit, &bytes, kind.number(), source);
        Ok(Some(PathStep { kind, old_path: found.map(|(_, source)| self.numbers.path(&source)) }))
    }
}

impl PathSource for IndexedPaths<'_> {
    fn parents(
        &mut self,
        commit: CommitNumber,
        parents: &mut Vec<CommitNumber>,
    ) -> Result<i64, HistoryError> {
        if let Some(node) = self.index.graph.commit(commit).filter(|node| !node.is_cut) {
            parents.extend_from_slice(&node.parents);
            return Ok(node.time);
        }
        let (time, ids) = self.history.time_and_parents(&self.id(commit))?;
        for id in &ids {
            let number = self.number(id, true);
            parents.push(number);
        }
        Ok(time)
    }

    fn step(&mut self, commit: CommitNumber, path: PathNumber) -> Result<Option<PathStep>, HistoryError> {
        if !self.index.graph.has_paths(commit) {
            let id = self.id(commit);
            let step = self.history.path_step(&id, self.numbers.path_bytes(path))?;
            return Ok(step.map(|step| self.numbers.step(step)));
        }
        let Some(id) = self.path_id(path) else { return Ok(None) };
        let changes = self.index.changes_of(id);
        if let Some(row) = changes.get(&(commit, 0)) {
            let kind = ChangeKind::from_number(row.kind).unwrap_or(ChangeKind::Modified);
            if kind == ChangeKind::Added {
                return self.copied_from(commit, path, id);
            }
            let old = row.old_path.and_then(|old| self.index.cache.history_path(old));
            return Ok(Some(PathStep { kind, old_path: old.map(|old| self.numbers.path(&old)) }));
        }
        Ok(None)
    }

    fn name_in_parent(
        &mut self,
        merge: CommitNumber,
        parent: CommitNumber,
        path: PathNumber,
    ) -> Result<Option<PathNumber>, HistoryError> {
        let node = self.index.graph.commit(merge).filter(|node| !node.is_cut);
        let place = node.and_then(|node| node.parents.iter().position(|other| *other == parent));
        let (Some(place), true) = (place, self.index.graph.has_paths(merge)) else {
            let (merge, parent) = (self.id(merge), self.id(parent));
            let name = self.history.name_in_parent(&merge, &parent, self.numbers.path_bytes(path))?;
            return Ok(name.map(|name| self.numbers.path(&name)));
        };
        let Some(id) = self.path_id(path) else { return Ok(None) };
        let Ok(place) = u8::try_from(place + 1) else { return Ok(None) };
        let changes = self.index.changes_of(id);
        let old = changes.get(&(merge, place)).and_then(|row| row.old_path);
        let old = old.and_then(|old| self.index.cache.history_path(old));
        Ok(old.map(|old| self.numbers.path(&old)))
    }

    fn has_file(&mut self, commit: CommitNumber, path: PathNumber) -> Result<bool, HistoryError> {
        self.history.has_file(&self.id(commit), self.numbers.path_bytes(path))
    }
}
