//! Writes the history index, newest commits first: the graph, then changed paths, then changed symbols and terms.
//!
//! Each stage continues where it was interrupted. Every batch is one transaction, so that a reader sees whole commits.

use crate::changed_symbols::{SymbolRow, former_names, is_code, of_commit};
use crate::commit_terms::{CommitDocument, MAX_CHANGED_BYTES};
use crate::history_index::{HistoryCoverage, HistoryIndex, LEFT_OUT, oid};
use crate::version_cache::{MAX_CONTENT, VersionCache};
use orient_engine::Engine;
use orient_history::{
    ChangeKind, Commit, History, HistoryError, Hunk, Oid, RawPathChange, hunks, is_binary, lines,
};
use orient_model::{Handle, RepoPath};
use orient_store::{CommitPaths, CommitSymbols, FileSymbols, GraphCommit, Person};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;

/// Number of commits whose paths are written together.
const PATHS_BATCH: usize = 250;
/// Number of commits whose symbols are written together.
const SYMBOLS_BATCH: usize = 50;
/// Number of commits in a segment of the graph.
const SEGMENT: usize = 20_000;
/// Number of files of a commit whose changed lines are read. A commit with more is an import or a reformatting.
const MAX_READ_FILES: usize = 400;
/// Number of changed paths that are kept in memory from one stage to the next.
const MAX_KEPT_CHANGES: usize = 100_000;
/// Increment when the same commits give other rows.
const VERSION: u64 = 3;

/// How much of the history is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryLimits {
    /// Maximum number of commits.
    pub commits: usize,
    /// Commits before this time, in seconds since 1970, are not indexed.
    pub since: Option<i64>,
}

/// A stage of indexing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexStage {
    /// Reading commits.
    Commits,
    /// Comparing trees.
    Paths,
    /// Comparing symbols.
    Symbols,
}

/// Receives the stage, how many commits are done, and of how many. Breaks to stop; the next run continues.
pub(crate) type Report<'r> = dyn FnMut(IndexStage, u64, u64) -> ControlFlow<()> + 'r;

struct Indexer<'e> {
    history: &'e mut History,
    index: HistoryIndex,
    limits: HistoryLimits,
    /// The changes of commits whose symbols are compared next, so that their trees are compared once.
    changes: HashMap<u32, Vec<RawPathChange>>,
    kept_changes: usize,
}

/// Brings the history index of a tree's repository up to date, as far as it gets before `report` breaks. Returns how much is
/// indexed.
pub fn index_history(
    engine: &Engine,
    history: &mut History,
    limits: HistoryLimits,
    report: &mut Report<'_>,
) -> Result<HistoryCoverage, HistoryError> {
    let mut index = HistoryIndex::open(engine.store_paths());
    if index.cache.start_history(engine.extraction_version() ^ VERSION) {
        index.graph = index.cache.history_graph();
        let mut indexer = Indexer { history, index, limits, changes: HashMap::new(), kept_changes: 0 };
        indexer.run(report)?;
        return Ok(indexer.index.coverage());
    }
    Err(HistoryError::Io(std::io::Error::other("the cache cannot be written")))
}

impl Indexer<'_> {
    fn run(&mut self, report: &mut Report<'_>) -> Result<(), HistoryError> {
        let (tips, is_all) = self.history.index_tips();
        if self.add_commits(&tips, report)?.is_break() {
            return Ok(());
        }
        if is_all {
            self.drop_gone(&tips);
        }
        if self.add_paths(report)?.is_break() {
            return Ok(());
        }
        self.add_symbols(report)
    }

    /// Adds the commits that the graph does not have.
    fn add_commits(
        &mut self,
        tips: &[Oid],
        report: &mut Report<'_>,
    ) -> Result<ControlFlow<()>, HistoryError> {
        let mut starts: Vec<Oid> = Vec::new();
        for tip in tips {
            if self.index.number_of_many(tip).is_none() {
                starts.push(*tip);
            }
        }
        let known_commits = self.index.graph.present().count();
        if known_commits < self.limits.commits {
            for commit in self.cut_commits() {
                for parent in self.history.parents(&commit)? {
                    if self.index.number_of_many(&parent).is_none() {
                        starts.push(parent);
                    }
                }
            }
        }
        if starts.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let known: BTreeSet<Oid> =
            self.index.graph.present().filter_map(|(_, commit)| oid(&commit.id)).collect();
        let room = self.limits.commits.saturating_sub(known_commits).max(1);
        let mut found: Vec<(Oid, i64, Vec<Oid>)> = Vec::new();
        let since = self.limits.since.unwrap_or(i64::MIN);
        let mut flow = ControlFlow::Continue(());
        self.history.walk(&starts, &known, &mut |history, id, ()| {
            let (time, parents) = history.time_and_parents(&id)?;
            if found.len() >= room || time < since {
                return Ok(ControlFlow::Break(()));
            }
            found.push((id, time, parents));
            if found.len().is_multiple_of(1000) {
                flow = report(IndexStage::Commits, found.len() as u64, 0);
            }
            Ok(flow)
        })?;
        if flow.is_continue() {
            self.write_commits(&found);
        }
        Ok(flow)
    }

    fn write_commits(&mut self, found: &[(Oid, i64, Vec<Oid>)]) {
        let first = self.index.graph.len();
        let new: BTreeMap<Oid, u32> =
            found.iter().zip(first..).map(|((id, ..), number)| (*id, number)).collect();
        let mut commits = Vec::with_capacity(found.len());
        for (id, time, parents) in found {
            let numbers: Vec<u32> = parents
                .iter()
                .filter_map(|parent| new.get(parent).copied().or_else(|| self.index.number_of_many(parent)))
                .collect();
            let is_cut = numbers.len() < parents.len();
            let (id, time) = (id.as_slice().to_vec(), *time);
            commits.push(GraphCommit { id, time, parents: numbers, is_cut, is_gone: false });
        }
        let mut first = first;
        for segment in commits.chunks(SEGMENT) {
            if !self.index.cache.add_history_commits(first, segment) {
                break;
            }
            first += segment.len() as u32;
        }
        self.reload();
    }

    /// The commits some of whose parents the graph does not have.
    fn cut_commits(&self) -> Vec<Oid> {
        let present = self.index.graph.present();
        present.filter(|(_, commit)| commit.is_cut).filter_map(|(_, commit)| oid(&commit.id)).collect()
    }

    /// Drops the commits that no branch, worktree or remaining commit leads to.
    fn drop_gone(&mut self, tips: &[Oid]) {
        let mut from: Vec<u32> = tips.iter().filter_map(|tip| self.index.number_of_many(tip)).collect();
        for commit in self.cut_commits() {
            // A commit that cannot be read any more is gone.
            for parent in self.history.parents(&commit).unwrap_or_default() {
                from.extend(self.index.number_of_many(&parent));
            }
        }
        let reachable = self.index.graph.reachable(from);
        let gone: BTreeSet<u32> = self
            .index
            .graph
            .present()
            .map(|(number, _)| number)
            .filter(|number| !reachable[*number as usize])
            .collect();
        if !gone.is_empty() && self.index.cache.drop_history_commits(&gone) {
            self.reload();
        }
    }

    fn reload(&mut self) {
        self.index.reload();
    }

    /// The commits that lack something, newest first.
    fn missing(&self, is_done: impl Fn(u32) -> bool) -> Vec<(u32, Oid)> {
        let present = self.index.graph.present().filter(|(number, _)| !is_done(*number));
        let mut missing: Vec<(u32, Oid)> =
            present.filter_map(|(number, commit)| Some((number, oid(&commit.id)?))).collect();
        missing.sort_by_key(|(number, _)| self.index.graph.indexing_order(*number));
        missing
    }

    fn add_paths(&mut self, report: &mut Report<'_>) -> Result<ControlFlow<()>, HistoryError> {
        let missing = self.missing(|number| self.index.graph.has_paths(number));
        let all = missing.len() as u64;
        let mut done = 0;
        for batch in missing.chunks(PATHS_BATCH) {
            if report(IndexStage::Paths, done, all).is_break() {
                self.reload();
                return Ok(ControlFlow::Break(()));
            }
            let mut rows = Vec::with_capacity(batch.len());
            let (mut failed, mut changed) = (None, 0);
            for (at, (number, id)) in (0..).zip(batch) {
                // A commit may take long: the caller is asked at each.
                if at > 0 && report(IndexStage::Paths, done + at, all).is_break() {
                    self.index.cache.put_history_paths(&rows);
                    self.reload();
                    return Ok(ControlFlow::Break(()));
                }
                // Large commits are not collected.
                if changed > MAX_KEPT_CHANGES {
                    self.index.cache.put_history_paths(&rows);
                    rows.clear();
                    changed = 0;
                }
                match self.paths_of(*number, id) {
                    Ok(row) => {
                        changed += row.changes.len();
                        rows.push(row);
                    }
                    Err(error) => {
                        failed = Some(error);
                        break;
                    }
                }
            }
            let is_written = self.index.cache.put_history_paths(&rows);
            if let Some(error) = failed {
                return Err(error);
            }
            if !is_written {
                break;
            }
            done += batch.len() as u64;
        }
        if all > 0 {
            self.reload();
        }
        Ok(ControlFlow::Continue(()))
    }

    fn paths_of(&mut self, number: u32, id: &Oid) -> Result<CommitPaths, HistoryError> {
        let commit = self.history.recorded_commit(id)?;
        let (mut changes, mut merged) = (Vec::new(), Vec::new());
        if commit.is_merge() {
            merged = self.history.merge_renames(id)?;
        } else {
            let found = match self.history.changed_paths(id) {
                Err(error) if error.is_too_large() => {
                    changes.push((LEFT_OUT.to_vec(), ChangeKind::Modified.number(), None));
                    Vec::new()
                }
                found => found?,
            };
            for change in &found {
                // The log of the previous path ends here.
                let left = change.old_path.as_ref().filter(|_| change.kind == ChangeKind::Renamed);
                changes.extend(left.map(|old| (old.clone(), ChangeKind::Deleted.number(), None)));
                changes.push((change.path.clone(), change.kind.number(), change.old_path.clone()));
            }
            if self.kept_changes + found.len() <= MAX_KEPT_CHANGES {
                self.kept_changes += found.len();
                self.changes.insert(number, found);
            }
        }
        let person = |signature: &orient_history::Signature| Person {
            name: signature.name.clone(),
            email: signature.email.clone(),
        };
        Ok(CommitPaths {
            number,
            author: person(&commit.author),
            author_time: (commit.author.seconds, commit.author.offset),
            committer: person(&commit.committer),
            committer_offset: commit.committer.offset,
            message: commit.message,
            changes,
            merged,
        })
    }

    fn add_symbols(&mut self, report: &mut Report<'_>) -> Result<(), HistoryError> {
        let missing = self.missing(|number| self.index.graph.has_symbols(number));
        let all = missing.len() as u64;
        let mut versions = VersionCache::default();
        let mut batch = Vec::new();
        for (done, (number, id)) in (0..).zip(&missing) {
            if batch.len() >= SYMBOLS_BATCH {
                if !self.index.cache.put_history_symbols(&batch) {
                    break;
                }
                batch.clear();
            }
            if report(IndexStage::Symbols, done, all).is_break() {
                break;
            }
            match self.symbols_of(&mut versions, *number, id) {
                Ok(symbols) => batch.push(symbols),
                Err(error) => {
                    self.index.cache.put_history_symbols(&batch);
                    self.reload();
                    return Err(error);
                }
            }
        }
        self.index.cache.put_history_symbols(&batch);
        if all > 0 {
            self.reload();
        }
        Ok(())
    }

    fn symbols_of(
        &mut self,
        versions: &mut VersionCache,
        number: u32,
        id: &Oid,
    ) -> Result<CommitSymbols, HistoryError> {
        let commit = self.history.recorded_commit(id)?;
        let mut document = CommitDocument { message: commit.message.clone(), ..CommitDocument::default() };
        let files = if commit.is_merge() {
            Vec::new()
        } else {
            self.files_of(versions, number, &commit, &mut document)?
        };
        Ok(CommitSymbols {
            number,
            files,
            terms: document.terms(),
            vectors: document.embeddings().to_bytes(),
        })
    }

    fn files_of(
        &mut self,
        versions: &mut VersionCache,
        number: u32,
        commit: &Commit,
        document: &mut CommitDocument,
    ) -> Result<Vec<FileSymbols>, HistoryError> {
        let mut changes = match self.changes.remove(&number) {
            Some(changes) => changes,
            None => match self.history.changed_paths(&commit.id) {
                Err(error) if error.is_too_large() => Vec::new(),
                found => found?,
            },
        };
        for change in &changes {
            document.names.push_str(&RepoPath::new(change.path.clone()).display());
            document.names.push('\n');
        }
        self.keep_readable(versions, &mut changes)?;
        let mut hunks = Vec::with_capacity(changes.len().min(MAX_READ_FILES));
        let mut counts = Vec::with_capacity(hunks.capacity());
        for change in changes.iter().take(MAX_READ_FILES) {
            let found = self.hunks(versions, change, &mut document.lines)?;
            let sum = |side: fn(&Hunk) -> usize| found.iter().flatten().map(side).sum::<usize>() as u32;
            counts.push((sum(|hunk| hunk.after.len()), sum(|hunk| hunk.before.len())));
            hunks.push(found);
        }
        let is_large = changes.iter().filter(|change| is_code(change)).count() > MAX_READ_FILES;
        let mut rows: BTreeMap<usize, Vec<SymbolRow>> = BTreeMap::new();
        if !is_large {
            let read = &changes[..changes.len().min(MAX_READ_FILES)];
            rows = of_commit(self.history, versions, read, &hunks)?.into_iter().collect();
        }
        let mut files = Vec::new();
        for (at, change) in changes.iter().enumerate() {
            let (Some(lines), Some(symbols)) = (counts.get(at), rows.remove(&at)) else { continue };
            for (symbol, _) in &symbols {
                document.names.push_str(&Handle::split(&symbol.name).pop().unwrap_or_default());
                document.names.push('\n');
            }
            let former_names = former_names(&symbols);
            files.push(FileSymbols { path: change.path.clone(), lines: *lines, symbols, former_names });
        }
        Ok(files)
    }

    /// Omits files whose contents are missing or damaged, so that the rest of the history is indexed. A file without a row is read when it
    /// is asked about, which says what is missing.
    fn keep_readable(
        &mut self,
        versions: &mut VersionCache,
        changes: &mut Vec<RawPathChange>,
    ) -> Result<(), HistoryError> {
        let mut unreadable = BTreeSet::new();
        for (at, change) in changes.iter().enumerate().take(MAX_READ_FILES) {
            for blob in [change.old, change.new] {
                // Of a large content, nothing is read later.
                let is_small = |size| size <= MAX_CONTENT as u64;
                let read = match self.history.size(blob).map(is_small) {
                    Ok(true) => versions.content(self.history, blob).map(drop),
                    Ok(false) => Ok(()),
                    Err(error) => Err(error),
                };
                match read {
                    Ok(()) => {}
                    Err(error) if error.is_missing_object() => {
                        unreadable.insert(at);
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        let mut place = 0..;
        changes.retain(|_| place.next().is_none_or(|at| !unreadable.contains(&at)));
        Ok(())
    }

    /// The hunks of a changed file, whose lines are appended to a text. `None` if the file is binary or too large.
    fn hunks(
        &mut self,
        versions: &mut VersionCache,
        change: &RawPathChange,
        text: &mut Vec<u8>,
    ) -> Result<Option<Vec<Hunk>>, HistoryError> {
        for blob in [change.old, change.new] {
            if self.history.size(blob)? > MAX_CONTENT as u64 {
                return Ok(None);
            }
        }
        let before = versions.content(self.history, change.old)?;
        let after = versions.content(self.history, change.new)?;
        let is_readable = |content: &[u8]| !is_binary(content);
        if !is_readable(&before) || !is_readable(&after) {
            return Ok(None);
        }
        let hunks = hunks(&before, &after);
        if text.len() < MAX_CHANGED_BYTES {
            let (old, new) = (lines(&before), lines(&after));
            let sides = hunks.iter().flat_map(|hunk| [(&new, &hunk.after), (&old, &hunk.before)]);
            for line in sides.flat_map(|(lines, range)| {
                lines.get(range.start as usize..range.end as usize).unwrap_or_default()
            }) {
                if text.len() + line.len() <= MAX_CHANGED_BYTES {
                    text.extend_from_slice(line);
                }
            }
        }
        Ok(Some(hunks))
    }
}
