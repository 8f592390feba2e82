//! Agreements as files: one Markdown file each, in the store or, by setting, in the repository.
//!
//! A file of the repository may come from anyone: it is read without following links, bounded, and only its three fields are
//! used. Whatever is wrong with it, it is skipped with a note.

use crate::error::ToolError;
use crate::history::former_names::look_up_former;
use crate::session::Session;
use crate::task::symbol_relevance::similarity;
use orient_engine::{Lookup, Snapshot};
use orient_safefs::Directory;
use orient_task::{AGREED_FROM, Agreement, MAX_AGREEMENT_BYTES};
use std::path::{Path, PathBuf};

/// The directory in the store or below the root.
const DIRECTORY: &str = "agreements";
/// The directory of Orient in a repository.
const IN_REPOSITORY: &str = ".orient";
/// Maximum number of files that are read.
const MAX_FILES: usize = 500;

fn directory(session: &Session<'_>) -> Option<PathBuf> {
    if session.loaded().settings.task.agreements_in_repository {
        return Some(session.root().join(IN_REPOSITORY).join(DIRECTORY));
    }
    session.engine().ok().map(|engine| engine.store_paths().tree.join(DIRECTORY))
}

fn open(session: &Session<'_>, create: bool) -> Option<Directory> {
    let path = directory(session)?;
    let in_repository = path.starts_with(session.root());
    match (create, in_repository) {
        (false, true) => Directory::existing(&path).ok(),
        (false, false) => Directory::open(&path).ok(),
        // A team shares the files of its repository.
        (true, true) => Directory::public(&path).ok(),
        (true, false) => Directory::create(&path).ok(),
    }
}

/// All agreements by file name, and notes about files that are none.
pub(crate) fn list(session: &Session<'_>) -> (Vec<(String, Agreement)>, Vec<String>) {
    let (mut found, mut notes) = (Vec::new(), Vec::new());
    let Some(directory) = open(session, false) else { return (found, notes) };
    let mut names: Vec<String> = directory
        .names()
        .unwrap_or_default()
        .into_iter()
        .filter_map(|name| name.into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "md"))
        .collect();
    names.sort();
    for name in names.into_iter().take(MAX_FILES) {
        let text = match directory.read(&name, MAX_AGREEMENT_BYTES as u64) {
            Ok(Some(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            Ok(None) => continue,
            Err(error) => {
                notes.push(format!("the agreement {name} was skipped: {error}"));
                continue;
            }
        };
        match Agreement::parse(&text) {
            Ok(agreement) => found.push((name, agreement)),
            Err(error) => notes.push(format!("the agreement {name} was skipped: {error}")),
        }
    }
    (found, notes)
}

/// Writes an agreement; an older one about the same words is replaced. Failing to is no reason to fail a task.
pub(crate) fn write(session: &Session<'_>, agreement: &Agreement) {
    let text = agreement.to_markdown();
    if Agreement::parse(&text).is_ok()
        && let Some(directory) = open(session, true)
    {
        let _ = directory.replace(&agreement.file_name(), text.as_bytes());
    }
}

/// Removes the agreements about words, or the file of a name; returns how many there were.
pub(crate) fn forget(session: &Session<'_>, words: &str) -> usize {
    let (all, _) = list(session);
    let Some(directory) = open(session, false) else { return 0 };
    let matching = all.iter().filter(|(name, one)| name == words || one.words.eq_ignore_ascii_case(words));
    matching.filter(|(name, _)| directory.remove(name).is_ok()).count()
}

/// An agreement that answers a query.
pub(crate) struct Agreed {
    /// The words that were agreed on.
    pub(crate) words: String,
    /// The handle of the symbol, where it is now.
    pub(crate) handle: String,
}

/// The agreement that answers a query, and notes about agreements that do not hold any more. A symbol is followed to another file
/// and, through the history, to another name. Once a commit has removed it, so is the agreement; before, as after a change that
/// is not committed yet, the agreement is only passed over.
pub(crate) fn answer(
    session: &Session<'_>,
    snapshot: &Snapshot,
    query: &str,
) -> Result<(Option<Agreed>, Vec<String>), ToolError> {
    let (all, mut notes) = list(session);
    let scored =
        all.into_iter().map(|(name, one)| (one.score(query, similarity(&one.words, query)), name, one));
    let mut matching: Vec<_> = scored.filter(|(score, ..)| *score >= AGREED_FROM).collect();
    matching.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    for (_, name, agreement) in matching {
        let Agreement { words, symbol, .. } = agreement;
        match current_symbol(snapshot, &symbol)? {
            Current::At(handle) => return Ok((Some(Agreed { words, handle }), notes)),
            Current::Removed(remark) => {
                notes.push(format!("the agreement about \"{words}\" is dropped: {remark}"));
                // A file of the repository is the team's to remove.
                let in_store = !session.loaded().settings.task.agreements_in_repository;
                if let Some(directory) = open(session, false).filter(|_| in_store) {
                    let _ = directory.remove(&name);
                }
            }
            Current::Unknown => notes.push(format!(
                "the agreement about \"{words}\" is passed over: {symbol} is gone; `orient task forget \"{words}\"` removes it"
            )),
        }
    }
    Ok((None, notes))
}

/// What is known about the symbol of an agreement.
enum Current {
    /// It has this handle now.
    At(String),
    /// A commit removed it, as the remark says.
    Removed(String),
    /// It is not there, and the history does not say why.
    Unknown,
}

/// Where a symbol is now: at its handle, under the same name elsewhere, or under the name that a commit gave it.
fn current_symbol(snapshot: &Snapshot, handle: &str) -> Result<Current, ToolError> {
    let name = handle.split_once('#').map(|(_, name)| name);
    for typed in [Some(handle), name].into_iter().flatten() {
        if let Lookup::One(definition) = snapshot.symbol(typed)? {
            return Ok(Current::At(definition.handle.to_string()));
        }
    }
    Ok(match look_up_former(snapshot, handle)? {
        Some(Ok((Lookup::One(definition), _))) => Current::At(definition.handle.to_string()),
        Some(Err(remark)) => Current::Removed(remark),
        Some(Ok(_)) | None => Current::Unknown,
    })
}
