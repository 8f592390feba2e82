//! The history index as questions read it.

use orient_engine::StorePaths;
use orient_history::{History, HistoryError, Mailmap, Oid};
use orient_model::Handle;
use orient_store::{Cache, CommitGraph, PathRow, SymbolsRow};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::rc::Rc;

/// How much of the history is indexed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistoryCoverage {
    /// Commits that are known.
    pub commits: u64,
    /// Commits with their changed paths.
    pub paths: u64,
    /// Commits with their changed symbols and terms.
    pub symbols: u64,
    /// Whether older commits are beyond the limits of the settings.
    pub is_cut: bool,
}

impl HistoryCoverage {
    /// Whether everything within the limits is indexed.
    pub fn is_complete(&self) -> bool {
        self.commits > 0 && self.symbols == self.commits
    }
}

/// The path at which a commit is recorded that changes more paths than are compared. No file has it.
pub(crate) const LEFT_OUT: &[u8] = b"";

/// Number of commits of a file whose authors are counted, newest first.
const MAX_COUNTED: usize = 200;

/// The last commit that changed a file or a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastChange {
    /// The commit.
    pub commit: Oid,
    /// Who wrote most of the commits that changed the file, and how many of how many.
    pub main_author: Option<(String, u64, u64)>,
}

type ChangesOfPath = HashMap<(u32, u8), PathRow>;

/// A reader of the history index. What it read of a path is kept.
pub struct HistoryIndex {
    pub(crate) cache: Cache,
    pub(crate) graph: CommitGraph,
    numbers: Option<HashMap<Oid, u32>>,
    changes: HashMap<u32, Rc<ChangesOfPath>>,
    symbols: HashMap<u32, Rc<HashMap<u32, SymbolsRow>>>,
}

impl HistoryIndex {
    /// Opens the history index of a tree's repository. It may be empty.
    pub fn open(paths: &StorePaths) -> Self {
        let mut cache = Cache::open(&paths.cache());
        let graph = cache.history_graph();
        Self { cache, graph, numbers: None, changes: HashMap::new(), symbols: HashMap::new() }
    }

    /// Reads the graph again after it was written.
    pub(crate) fn reload(&mut self) {
        (self.graph, self.numbers) = (self.cache.history_graph(), None);
    }

    /// How much is indexed.
    pub fn coverage(&self) -> HistoryCoverage {
        let mut coverage = HistoryCoverage::default();
        for (number, commit) in self.graph.present() {
            coverage.commits += 1;
            coverage.paths += u64::from(self.graph.has_paths(number));
            coverage.symbols += u64::from(self.graph.has_symbols(number));
            coverage.is_cut |= commit.is_cut;
        }
        coverage
    }

    /// The commits whose changed paths are not all known, because there are more than are compared.
    pub fn left_out(&mut self) -> BTreeSet<Oid> {
        let Some(path) = self.cache.history_path_id(LEFT_OUT) else { return BTreeSet::new() };
        let commits: Vec<u32> = self.changes_of(path).values().map(|row| row.commit).collect();
        commits.into_iter().filter_map(|number| self.id(number)).collect()
    }

    /// Whether a commit is known.
    pub fn has_commit(&mut self, id: &Oid) -> bool {
        self.number(id).is_some()
    }

    /// Whether any commit changed a path from the top of the repository. `None` if the index does not know all of them.
    pub fn ever_had(&mut self, path: &[u8]) -> Option<bool> {
        let coverage = self.coverage();
        let is_known = coverage.commits > 0 && coverage.paths == coverage.commits && !coverage.is_cut;
        is_known.then(|| self.cache.history_path_id(path).is_some())
    }

    /// The last commits that changed files, and symbols in them, among the indexed ancestors of a commit. Paths count from the top of
    /// the repository; a name is qualified; `mailmap` says which authors are the same.
    pub fn last_changes(
        &mut self,
        mailmap: &Mailmap,
        start: &Oid,
        of: &[(Vec<u8>, Option<String>)],
    ) -> Vec<Option<LastChange>> {
        let Some(from) = self.number(start) else { return vec![None; of.len()] };
        let reachable = self.graph.reachable([from]);
        of.iter().map(|(path, name)| self.last_change(mailmap, &reachable, path, name.as_deref())).collect()
    }

    fn last_change(
        &mut self,
        mailmap: &Mailmap,
        reachable: &[bool],
        path: &[u8],
        name: Option<&str>,
    ) -> Option<LastChange> {
        let path = self.cache.history_path_id(path)?;
        let mut rows: Vec<u32> = self
            .changes_of(path)
            .values()
            .filter(|row| row.parent == 0 && reachable.get(row.commit as usize) == Some(&true))
            .map(|row| row.commit)
            .collect();
        rows.sort_unstable_by_key(|number| {
            let time = self.graph.commit(*number).map_or(0, |commit| commit.time);
            (Reverse(time), *number)
        });
        let symbols = self.symbols_of(path);
        let changes_symbol = |number: &&u32| match (name, symbols.get(number)) {
            (Some(name), Some(row)) => {
                let own_name = Handle::split(name).pop().unwrap_or_default();
                row.mentions(&own_name) && row.symbols().iter().any(|symbol| symbol.name == name)
            }
            _ => true,
        };
        let last = *rows.iter().find(changes_symbol)?;
        let mut authors: BTreeMap<String, u64> = BTreeMap::new();
        for number in rows.iter().take(MAX_COUNTED) {
            if let Some(record) = self.cache.history_commit(*number) {
                let mut author = record.author;
                mailmap.rename(&mut author.name, &mut author.email);
                *authors.entry(author.name).or_default() += 1;
            }
        }
        let total = rows.len().min(MAX_COUNTED) as u64;
        let most = authors.into_iter().max_by_key(|(name, count)| (*count, Reverse(name.clone())));
        Some(LastChange {
            commit: self.id(last)?,
            main_author: most.map(|(name, count)| (name, count, total)),
        })
    }

    /// The commits that lead to a commit, without it.
    pub(crate) fn ancestors(
        &mut self,
        history: &mut History,
        of: &Oid,
    ) -> Result<BTreeSet<Oid>, HistoryError> {
        let mut found = BTreeSet::new();
        let coverage = self.coverage();
        match self.number(of).filter(|_| !coverage.is_cut) {
            Some(number) => {
                let reachable = self.graph.reachable([number]);
                let numbers = (0..).zip(&reachable).filter(|(_, is_reachable)| **is_reachable);
                found.extend(numbers.filter_map(|(number, _)| self.id(number)));
            }
            None => history.walk(&[*of], &BTreeSet::new(), &mut |_, id, ()| {
                found.insert(id);
                Ok(ControlFlow::Continue(()))
            })?,
        }
        found.remove(of);
        Ok(found)
    }

    /// The number of a commit.
    pub(crate) fn number(&mut self, id: &Oid) -> Option<u32> {
        if let Some(numbers) = &self.numbers {
            return numbers.get(id).copied();
        }
        self.graph.find(id.as_slice())
    }

    /// The number of a commit, when many will be looked up.
    pub(crate) fn number_of_many(&mut self, id: &Oid) -> Option<u32> {
        let graph = &self.graph;
        let numbers = self.numbers.get_or_insert_with(|| {
            graph.present().filter_map(|(number, commit)| Some((oid(&commit.id)?, number))).collect()
        });
        numbers.get(id).copied()
    }

    /// The id of a commit.
    pub(crate) fn id(&self, number: u32) -> Option<Oid> {
        oid(&self.graph.commit(number)?.id)
    }

    /// The changes of a path, by commit and parent.
    pub(crate) fn changes_of(&mut self, path: u32) -> Rc<ChangesOfPath> {
        let cache = &mut self.cache;
        let rows = self.changes.entry(path).or_insert_with(|| {
            let rows = cache.history_changes_of_path(path).into_iter();
            Rc::new(rows.map(|row| ((row.commit, row.parent), row)).collect())
        });
        Rc::clone(rows)
    }

    /// The changed symbols of a path, by commit.
    pub(crate) fn symbols_of(&mut self, path: u32) -> Rc<HashMap<u32, SymbolsRow>> {
        let cache = &mut self.cache;
        let rows = self.symbols.entry(path).or_insert_with(|| {
            let rows = cache.history_symbols_of_path(path).into_iter();
            Rc::new(rows.map(|row| (row.commit, row)).collect())
        });
        Rc::clone(rows)
    }
}

pub(crate) fn oid(bytes: &[u8]) -> Option<Oid> {
    Oid::try_from(bytes).ok()
}
