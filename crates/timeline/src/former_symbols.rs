//! What became of a symbol or a file that is gone: its new name and place, and the commit that changed it.

use crate::history_index::HistoryIndex;
use orient_engine::{ChangeParts, StorePaths};
use orient_history::{ChangeKind, Oid};
use orient_model::Handle;
use orient_store::Cache;

/// Maximum number of renames that are followed.
const MAX_STEPS: usize = 12;

/// A symbol as it once was called. Paths count from the top of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormerSymbol {
    /// The file, if it is known.
    pub path: Option<Vec<u8>>,
    /// The name, with or without containers.
    pub name: String,
}

/// What a symbol became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    /// The file; where it was last, if the symbol was removed.
    pub path: Vec<u8>,
    /// The qualified name; `None` if the symbol was removed.
    pub name: Option<String>,
    /// The commit that changed it last.
    pub commit: Oid,
}

/// A place on the way from an old name to the current one.
#[derive(Clone)]
struct Step {
    path: Option<Vec<u8>>,
    name: String,
    is_removed: bool,
    commit: Option<(i64, u32)>,
}

/// Whether the history index at this place may know a former symbol. Cheaper than opening it: most names that are not found never
/// existed.
pub fn may_know(paths: &StorePaths, former: &FormerSymbol) -> bool {
    let mut cache = Cache::open(&paths.cache());
    let own_name = Handle::split(&former.name).pop().unwrap_or_default();
    let had_path = |cache: &mut Cache, path: &Vec<u8>| cache.history_path_id(path).is_some();
    !cache.history_former_name(&own_name).is_empty()
        || former.path.as_ref().is_some_and(|path| had_path(&mut cache, path))
}

/// What a symbol became, most recent change first: renames and moves of the symbol, and renames of its file. Several if several
/// symbols had the name.
pub fn successors(index: &mut HistoryIndex, former: &FormerSymbol) -> Vec<Successor> {
    let start =
        Step { path: former.path.clone(), name: former.name.clone(), is_removed: false, commit: None };
    let mut found: Vec<Successor> = Vec::new();
    for first in next(index, &start) {
        let mut step = first;
        for _ in 0..MAX_STEPS {
            if step.is_removed {
                break;
            }
            let Some(after) = next(index, &step).into_iter().next() else { break };
            step = after;
        }
        let Some((_, number)) = step.commit else { continue };
        let (Some(path), Some(commit)) = (step.path, index.id(number)) else { continue };
        let successor = Successor { path, name: (!step.is_removed).then_some(step.name), commit };
        if !found.iter().any(|known| known.path == successor.path && known.name == successor.name) {
            found.push(successor);
        }
    }
    found
}

/// What happened next to a symbol, latest first: renames and moves before removals.
fn next(index: &mut HistoryIndex, step: &Step) -> Vec<Step> {
    let own_name = Handle::split(&step.name).pop().unwrap_or_default();
    let after = step.commit.map_or(i64::MIN, |(time, _)| time);
    let mut found = Vec::new();
    for (number, path) in index.cache.history_former_name(&own_name) {
        let Some(commit) = index.graph.commit(number).filter(|commit| !commit.is_gone) else { continue };
        let time = commit.time;
        if step.commit.is_some_and(|(_, last)| last == number) || time < after {
            continue;
        }
        let Some(file) = index.cache.history_path(path) else { continue };
        let renamed = index.changes_of(path).get(&(number, 0)).and_then(|row| row.old_path);
        let renamed = renamed.and_then(|old| index.cache.history_path(old));
        let rows = index.symbols_of(path);
        for symbol in rows.get(&number).map(orient_store::SymbolsRow::symbols).unwrap_or_default() {
            let is_removed = ChangeParts(symbol.parts).contains(ChangeParts::REMOVED);
            let moved_from = symbol.old_path.and_then(|old| index.cache.history_path(old));
            let old_name = symbol.old_name.as_ref().unwrap_or(&symbol.name);
            let old_path = moved_from.as_ref().or(renamed.as_ref()).unwrap_or(&file);
            let is_same =
                is_suffix(old_name, &step.name) && step.path.as_ref().is_none_or(|path| path == old_path);
            if is_same && (is_removed || symbol.old_name.is_some() || moved_from.is_some()) {
                let (path, name) = (Some(file.clone()), symbol.name.clone());
                found.push(Step { path, name, is_removed, commit: Some((time, number)) });
            }
        }
    }
    if let Some(path) = &step.path
        && let Some(id) = index.cache.history_path_id(path)
    {
        for row in index.cache.history_changes_from_path(id) {
            let Some(commit) = index.graph.commit(row.commit).filter(|commit| !commit.is_gone) else {
                continue;
            };
            let is_later = commit.time >= after && step.commit.is_none_or(|(_, last)| last != row.commit);
            let is_rename = row.parent == 0 && ChangeKind::from_number(row.kind) == Some(ChangeKind::Renamed);
            if is_later && is_rename {
                let commit = Some((commit.time, row.commit));
                let path = index.cache.history_path(row.path);
                found.push(Step { path, name: step.name.clone(), is_removed: false, commit });
            }
        }
    }
    // A move is recorded as a removal where the symbol was, and as a move where it is.
    found.sort_by_key(|step| {
        (step.is_removed, step.commit.map(|(time, number)| (std::cmp::Reverse(time), number)))
    });
    found
}

/// Whether a qualified name ends in the names that a user gave.
fn is_suffix(qualified: &str, typed: &str) -> bool {
    Handle::split(qualified).ends_with(&Handle::split(typed))
}
