//! Names that a symbol no longer has: what it is called now, and since which commit.

use crate::error::ToolError;
use crate::history::calendar::date;
use orient_engine::{Lookup, Snapshot};
use orient_history::{History, Oid, short_id};
use orient_model::{Handle, RepoPath};
use orient_timeline::{FormerSymbol, HistoryIndex, Successor, may_know, successors};

/// What a former name means now and the remark about it, or the remark that it was removed.
pub(crate) type FormerName = Result<(Lookup, String), String>;

/// The symbol that a former name or handle means now, and a remark: `old` is now `new` since 3f2a91c04e 2024-05-01. `Err` is a
/// remark that it was removed. `None` if the history index does not know the name.
pub(crate) fn look_up_former(snapshot: &Snapshot, typed: &str) -> Result<Option<FormerName>, ToolError> {
    if typed.contains(char::is_whitespace) {
        return Ok(None);
    }
    let Ok(mut history) = History::open(snapshot.root()) else { return Ok(None) };
    if history.revision("HEAD").is_err() {
        // Without a commit there is no history index, and looking for it takes longer than looking up a symbol.
        return Ok(None);
    }
    let former = match typed.parse::<Handle>() {
        Ok(handle) => FormerSymbol {
            path: Some(history.path_from_top(&RepoPath::from(handle.path.as_str()))),
            name: Handle::join(handle.names.iter().map(String::as_str)),
        },
        Err(_) => FormerSymbol { path: None, name: typed.to_owned() },
    };
    if !may_know(snapshot.store_paths(), &former) {
        return Ok(None);
    }
    let mut index = HistoryIndex::open(snapshot.store_paths());
    let mut removed = None;
    for Successor { path, name, commit } in successors(&mut index, &former) {
        let since = cited(&mut history, &commit);
        let path = history.shown(&path);
        let Some(name) = name else {
            removed
                .get_or_insert_with(|| format!("`{typed}` was removed from {} in {since}", path.display()));
            continue;
        };
        let handle = format!("{}#{name}", path.display());
        let found = snapshot.symbol(&handle)?;
        if !matches!(found, Lookup::Nothing { .. }) {
            return Ok(Some(Ok((found, format!("`{typed}` is now `{handle}` since {since}")))));
        }
    }
    Ok(removed.map(Err))
}

/// The remark about what a former name means now, if the history index knows it.
pub(crate) fn former_note(snapshot: &Snapshot, typed: &str) -> Result<Option<String>, ToolError> {
    Ok(look_up_former(snapshot, typed)?.map(|found| found.map_or_else(|removed| removed, |(_, note)| note)))
}

/// What would tell whether a name that nothing has was one before: a history index, if there is a history without a complete one.
pub(crate) fn missing_index_note(snapshot: &Snapshot) -> Option<String> {
    History::open(snapshot.root()).ok()?.revision("HEAD").ok()?;
    let coverage = HistoryIndex::open(snapshot.store_paths()).coverage();
    let is_complete = coverage.commits > 0 && coverage.is_complete();
    (!is_complete)
        .then(|| "if it was renamed or removed: `orient index --history` finds former names".to_owned())
}

/// Short id and date of a commit.
fn cited(history: &mut History, id: &Oid) -> String {
    match history.commit(id) {
        Ok(commit) => {
            let date = date(commit.author.seconds, commit.author.offset);
            format!("{} {date}", commit.short_id())
        }
        Err(_) => short_id(id),
    }
}
