//! Activity: how often files and symbols change, by whom and since when, and which files change together.

use crate::history_index::HistoryIndex;
use orient_engine::ChangeParts;
use orient_history::{ChangeKind, Mailmap, Oid};
use orient_model::SymbolKind;
use orient_store::Person;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A commit that changes more files says nothing about which belong together.
const MAX_TOGETHER: usize = 30;
/// Maximum number of pairs that are counted.
const MAX_PAIRS: usize = 2_000_000;
/// Minimum number of common commits of a pair.
const MIN_TOGETHER: u32 = 4;
/// Minimum share of the commits of the less active file that changed both.
const MIN_SHARE: f64 = 0.4;

/// The activity of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathActivity {
    /// Its path from the top of the repository.
    pub path: Vec<u8>,
    /// Number of commits.
    pub commits: u32,
    /// Lines added and deleted, where known.
    pub lines: u64,
    /// Number of commits by author, most first.
    pub authors: Vec<(Person, u32)>,
    /// Time of the first and of the last commit, in seconds since 1970.
    pub times: (i64, i64),
}

/// The activity of a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolActivity {
    /// The file from the top of the repository.
    pub path: Vec<u8>,
    /// The qualified name.
    pub name: String,
    /// The kind.
    pub kind: SymbolKind,
    /// Number of commits that changed it.
    pub commits: u32,
    /// Number of authors of these.
    pub authors: u32,
    /// Its number of lines after the last of them.
    pub lines: u32,
    /// Time of the last of them.
    pub last: i64,
}

/// Two files that change together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoChange {
    /// Their paths from the top of the repository.
    pub paths: (Vec<u8>, Vec<u8>),
    /// Number of commits that changed both.
    pub commits: u32,
    /// Number of commits that changed the less active one.
    pub of: u32,
}

/// The activity of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hotspots {
    /// Number of commits that were counted.
    pub commits: u64,
    /// Number of indexed commits in the period, counted or not: of some, the changed files are not known yet.
    pub of_commits: u64,
    /// The files, most active first.
    pub paths: Vec<PathActivity>,
    /// The symbols, most active first.
    pub symbols: Vec<SymbolActivity>,
    /// Pairs of files, most common commits first.
    pub pairs: Vec<CoChange>,
}

/// The changes of a file under all its names.
#[derive(Default)]
struct Changes {
    commits: BTreeSet<u32>,
    lines: u64,
}

/// Counts the indexed commits that lead to a commit, from a time on. `is_wanted` selects files, by their current path. History of a
/// renamed file counts for its current name, and `mailmap` says which authors are the same.
pub fn hotspots(
    index: &mut HistoryIndex,
    mailmap: &Mailmap,
    start: &Oid,
    since: Option<i64>,
    is_wanted: &dyn Fn(&[u8]) -> bool,
) -> Hotspots {
    let Some(from) = index.number(start) else { return Hotspots::default() };
    let mut counted = index.graph.reachable([from]);
    for (number, commit) in index.graph.present() {
        counted[number as usize] &= since.is_none_or(|since| commit.time >= since);
    }
    let names: HashMap<u32, Vec<u8>> = index.cache.history_paths().into_iter().collect();
    let current = CurrentNames::new(index, &names, is_wanted);
    let mut changes: BTreeMap<u32, Changes> = BTreeMap::new();
    for row in index.cache.history_changes() {
        if row.parent == 0
            && counted.get(row.commit as usize) == Some(&true)
            && let Some(path) = current.of(row.path)
        {
            changes.entry(path).or_default().commits.insert(row.commit);
        }
    }
    let known = |(number, mut person): (u32, Person)| {
        mailmap.rename(&mut person.name, &mut person.email);
        (number, person)
    };
    let authors: HashMap<u32, Person> = index.cache.history_authors().into_iter().map(known).collect();
    let times: Vec<i64> =
        (0..index.graph.len()).map(|n| index.graph.commit(n).map_or(0, |commit| commit.time)).collect();
    let symbols = symbols(index, &current, &counted, &mut changes, &authors);
    let mut paths: Vec<PathActivity> = changes
        .iter()
        .filter_map(|(path, changes)| activity(names.get(path)?.clone(), changes, &authors, &times))
        .collect();
    paths.sort_by(|a, b| (Reverse(a.commits), &a.path).cmp(&(Reverse(b.commits), &b.path)));
    let mut symbols: Vec<SymbolActivity> = symbols
        .into_iter()
        .filter_map(|(place, found)| {
            let path = names.get(&place.0)?.clone();
            let (name, kind, authors) = (place.1, place.2, found.authors.len() as u32);
            Some(SymbolActivity {
                path,
                name,
                kind,
                commits: found.commits,
                authors,
                lines: found.lines,
                last: found.last,
            })
        })
        .collect();
    symbols
        .sort_by(|a, b| (Reverse(a.commits), &a.path, &a.name).cmp(&(Reverse(b.commits), &b.path, &b.name)));
    let pairs = pairs(&changes, &names);
    let in_period = (0..).zip(&counted).filter(|(_, is_counted)| **is_counted).map(|(number, _)| number);
    let (mut commits, mut of_commits) = (0, 0);
    for number in in_period {
        of_commits += 1;
        commits += u64::from(index.graph.has_paths(number));
    }
    Hotspots { commits, of_commits, paths, symbols, pairs }
}

/// The current names of files: renames are followed to a path that is wanted.
struct CurrentNames(HashMap<u32, u32>);

impl CurrentNames {
    fn new(
        index: &mut HistoryIndex,
        names: &HashMap<u32, Vec<u8>>,
        is_wanted: &dyn Fn(&[u8]) -> bool,
    ) -> Self {
        let mut renamed: HashMap<u32, (i64, u32)> = HashMap::new();
        for row in index.cache.history_changes() {
            let is_rename = row.parent == 0 && ChangeKind::from_number(row.kind) == Some(ChangeKind::Renamed);
            if let Some(old) = row.old_path.filter(|_| is_rename) {
                let time = index.graph.commit(row.commit).map_or(0, |commit| commit.time);
                let latest = renamed.entry(old).or_insert((time, row.path));
                *latest = (*latest).max((time, row.path));
            }
        }
        let mut current = HashMap::new();
        let mut ids: Vec<u32> = names.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            let mut at = id;
            for _ in 0..16 {
                if names.get(&at).is_some_and(|path| is_wanted(path)) {
                    current.insert(id, at);
                    break;
                }
                let Some((_, next)) = renamed.get(&at) else { break };
                at = *next;
            }
        }
        Self(current)
    }

    fn of(&self, path: u32) -> Option<u32> {
        self.0.get(&path).copied()
    }
}

fn activity(
    path: Vec<u8>,
    changes: &Changes,
    authors: &HashMap<u32, Person>,
    times: &[i64],
) -> Option<PathActivity> {
    let mut by: HashMap<&Person, u32> = HashMap::new();
    for author in changes.commits.iter().filter_map(|commit| authors.get(commit)) {
        *by.entry(author).or_default() += 1;
    }
    let mut by: Vec<(Person, u32)> = by.into_iter().map(|(person, count)| (person.clone(), count)).collect();
    by.sort_by(|a, b| (Reverse(a.1), &a.0.name, &a.0.email).cmp(&(Reverse(b.1), &b.0.name, &b.0.email)));
    let of = |commit: &u32| times.get(*commit as usize).copied().unwrap_or_default();
    let (first, last) = (changes.commits.iter().map(of).min()?, changes.commits.iter().map(of).max()?);
    let commits = changes.commits.len() as u32;
    Some(PathActivity { path, commits, lines: changes.lines, authors: by, times: (first, last) })
}

/// The changes of a symbol.
#[derive(Default)]
struct SymbolChanges {
    commits: u32,
    authors: BTreeSet<(String, String)>,
    lines: u32,
    last: i64,
}

/// The changes of each symbol that exists, by file, name and kind; adds the changed lines to the files.
fn symbols(
    index: &mut HistoryIndex,
    current: &CurrentNames,
    counted: &[bool],
    files: &mut BTreeMap<u32, Changes>,
    authors: &HashMap<u32, Person>,
) -> BTreeMap<(u32, String, SymbolKind), SymbolChanges> {
    let mut found: BTreeMap<(u32, String, SymbolKind), SymbolChanges> = BTreeMap::new();
    let mut removed: BTreeMap<(u32, String, SymbolKind), i64> = BTreeMap::new();
    let HistoryIndex { cache, graph, .. } = index;
    cache.each_history_symbols(|row| {
        let Some(path) = current.of(row.path).filter(|_| counted.get(row.commit as usize) == Some(&true))
        else {
            return;
        };
        if let Some(file) = files.get_mut(&path) {
            file.lines += u64::from(row.lines.0) + u64::from(row.lines.1);
        }
        let time = graph.commit(row.commit).map_or(0, |commit| commit.time);
        for symbol in row.symbols() {
            let place = (path, symbol.name, symbol.kind);
            if ChangeParts(symbol.parts).contains(ChangeParts::REMOVED) {
                let last = removed.entry(place).or_insert(time);
                *last = (*last).max(time);
                continue;
            }
            let changes = found.entry(place).or_default();
            changes.commits += 1;
            if time >= changes.last {
                (changes.last, changes.lines) = (time, symbol.lines);
            }
            if let Some(author) = authors.get(&row.commit) {
                changes.authors.insert((author.name.clone(), author.email.clone()));
            }
        }
    });
    found.retain(|place, changes| removed.get(place).is_none_or(|gone| *gone < changes.last));
    found
}

fn pairs(changes: &BTreeMap<u32, Changes>, names: &HashMap<u32, Vec<u8>>) -> Vec<CoChange> {
    let mut files: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (path, changes) in changes {
        for commit in &changes.commits {
            files.entry(*commit).or_default().push(*path);
        }
    }
    let mut together: HashMap<(u32, u32), u32> = HashMap::new();
    for paths in files.values().filter(|paths| paths.len() <= MAX_TOGETHER) {
        for (at, a) in paths.iter().enumerate() {
            for b in &paths[at + 1..] {
                if together.len() < MAX_PAIRS || together.contains_key(&(*a, *b)) {
                    *together.entry((*a, *b)).or_default() += 1;
                }
            }
        }
    }
    let count = |path: &u32| changes.get(path).map_or(0, |changes| changes.commits.len() as u32);
    let mut pairs: Vec<CoChange> = together
        .into_iter()
        .filter_map(|((a, b), commits)| {
            let of = count(&a).min(count(&b));
            let is_pair = commits >= MIN_TOGETHER && f64::from(commits) >= MIN_SHARE * f64::from(of);
            let (a, b) = (names.get(&a)?.clone(), names.get(&b)?.clone());
            let paths = if a <= b { (a, b) } else { (b, a) };
            is_pair.then_some(CoChange { paths, commits, of })
        })
        .collect();
    pairs.sort_by(|a, b| (Reverse(a.commits), &a.paths).cmp(&(Reverse(b.commits), &b.paths)));
    pairs
}
