//! The commit that last changed a place, and who knows it.

use crate::history::commit_line::CommitLine;
use orient_engine::Snapshot;
use orient_history::History;
use orient_model::{Handle, RepoPath};
use orient_timeline::HistoryIndex;

/// A line for each handle or path: `3f2a91c04e 2024-05-01 Ann  subject; Ann wrote 12 of the last 20`. Nothing without a history index.
pub(crate) fn last_changes(snapshot: &Snapshot, handles: &[&str]) -> Vec<Option<String>> {
    let none = || vec![None; handles.len()];
    let mut index = HistoryIndex::open(snapshot.store_paths());
    if index.coverage().paths == 0 {
        return none();
    }
    let Ok(mut history) = History::open(snapshot.root()) else { return none() };
    let Ok(head) = history.revision("HEAD") else { return none() };
    let places: Vec<(Vec<u8>, Option<String>)> = handles
        .iter()
        .map(|handle| match handle.parse::<Handle>() {
            Ok(handle) => {
                let name = Handle::join(handle.names.iter().map(String::as_str));
                (history.path_from_top(&RepoPath::from(handle.path.as_str())), Some(name))
            }
            Err(_) => (history.path_from_top(&RepoPath::from(*handle)), None),
        })
        .collect();
    let Ok(mailmap) = history.mailmap() else { return none() };
    let found = index.last_changes(&mailmap, &head, &places);
    found
        .into_iter()
        .map(|change| {
            let change = change?;
            let line = CommitLine::new(&history.commit(&change.commit).ok()?);
            let knows = match change.main_author {
                Some((name, count, total)) if total > 1 => {
                    format!("; {name} wrote {count} of the last {total}")
                }
                _ => String::new(),
            };
            Some(format!("{} {} {}  {}{knows}", line.commit, line.date, line.author, line.subject))
        })
        .collect()
}
