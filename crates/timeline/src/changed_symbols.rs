//! The symbols that a commit changed, compared with its first parent.

use crate::version_cache::{Beside, VersionCache};
use orient_engine::{ChangeParts, FileVersion, SharedBytes, changes_since, pair_moves};
use orient_history::{BlobKind, History, HistoryError, Hunk, Oid, RawPathChange, blocks_between};
use orient_model::{Handle, RepoPath};
use orient_store::ChangedSymbol;
use std::sync::Arc;

/// In a commit that changes more files, symbols are not followed from file to file.
pub(crate) const MAX_FILES: usize = 400;

/// A changed symbol, and the file that it was moved from.
pub(crate) type SymbolRow = (ChangedSymbol, Option<Vec<u8>>);

/// Whether a changed file may have symbols.
pub(crate) fn is_code(change: &RawPathChange) -> bool {
    let is_file = |blob: Option<orient_history::Blob>| blob.is_some_and(|blob| blob.kind == BlobKind::File);
    let may_have = |path: &[u8]| FileVersion::is_code(&RepoPath::new(path.to_vec()));
    (is_file(change.old) || is_file(change.new))
        && (may_have(&change.path) || change.old_path.as_deref().is_some_and(may_have))
}

/// The changed symbols of every file that may have some; without moves if there are too many. `hunks` are those of each file, as far as
/// they are known.
pub(crate) fn of_commit(
    history: &mut History,
    versions: &mut VersionCache,
    changes: &[RawPathChange],
    hunks: &[Option<Vec<Hunk>>],
) -> Result<Vec<(usize, Vec<SymbolRow>)>, HistoryError> {
    let mut files = Vec::new();
    for (at, change) in changes.iter().enumerate().filter(|(_, change)| is_code(change)) {
        let hunks = hunks.get(at).and_then(Option::as_deref);
        files.push((at, both_versions(history, versions, change, hunks)?));
    }
    let mut found: Vec<_> = files.iter().map(|(_, (old, new))| changes_since(new, old)).collect();
    if files.len() <= MAX_FILES {
        pair_moves(&mut found);
    }
    let mut rows = Vec::with_capacity(files.len());
    for ((at, (old, new)), symbols) in files.iter().zip(&found) {
        let of_file = symbols.iter().filter_map(|change| {
            let symbol = change.new.or(change.old)?;
            let before = change.old.filter(|_| change.new.is_some());
            let source = change.moved_from.map(|from| &changes[files[from].0]);
            let moved_from = source.map(|source| source.old_path.as_ref().unwrap_or(&source.path).clone());
            let row = ChangedSymbol {
                name: symbol.name.clone(),
                kind: symbol.kind,
                parts: change.parts(new, old).0,
                old_name: before.map(|before| before.name.clone()).filter(|name| *name != symbol.name),
                old_path: None,
                lines: symbol.last_line + 1 - symbol.first_line.min(symbol.last_line),
            };
            Some((row, moved_from))
        });
        rows.push((*at, of_file.collect()));
    }
    Ok(rows)
}

/// The changed symbols of one file of a commit. What may have been moved from another file counts as added: see [`of_commit`].
pub(crate) fn of_file(
    history: &mut History,
    versions: &mut VersionCache,
    change: &RawPathChange,
) -> Result<Vec<SymbolRow>, HistoryError> {
    let rows = of_commit(history, versions, std::slice::from_ref(change), &[])?;
    Ok(rows.into_iter().flat_map(|(_, rows)| rows).collect())
}

/// The changed symbols of a path in a commit, with moves.
pub(crate) fn of_path(
    history: &mut History,
    versions: &mut VersionCache,
    commit: &Oid,
    path: &[u8],
) -> Result<Vec<SymbolRow>, HistoryError> {
    let changes = history.changed_paths(commit)?;
    let Some(at) = changes.iter().position(|change| change.path == path) else { return Ok(Vec::new()) };
    let rows = of_file(history, versions, &changes[at])?;
    let is_added = |row: &SymbolRow| ChangeParts(row.0.parts).contains(ChangeParts::ADDED);
    if !rows.iter().any(is_added) || changes.iter().filter(|change| is_code(change)).count() > MAX_FILES {
        return Ok(rows);
    }
    let all = of_commit(history, versions, &changes, &[])?;
    Ok(all.into_iter().find(|(other, _)| *other == at).map(|(_, rows)| rows).unwrap_or_default())
}

/// The own names that symbols of these rows had before.
pub(crate) fn former_names(rows: &[SymbolRow]) -> Vec<String> {
    let mut names: Vec<String> = rows
        .iter()
        .filter_map(|(symbol, moved_from)| {
            let is_removed = ChangeParts(symbol.parts).contains(ChangeParts::REMOVED);
            let former = symbol.old_name.as_ref();
            let former = former.or((is_removed || moved_from.is_some()).then_some(&symbol.name))?;
            Handle::split(former).pop()
        })
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Both versions of a changed file.
fn both_versions(
    history: &mut History,
    versions: &mut VersionCache,
    change: &RawPathChange,
    hunks: Option<&[Hunk]>,
) -> Result<(Arc<FileVersion>, Arc<FileVersion>), HistoryError> {
    let old_path = change.old_path.as_ref().unwrap_or(&change.path);
    let new = versions.get(history, &change.path, change.new, None)?;
    let mut blocks = None;
    if let Some(hunks) = hunks {
        let before = versions.content(history, change.old)?;
        let shared = blocks_between(hunks, &before, new.content()).into_iter();
        let shared =
            shared.map(|block| SharedBytes { other: block.after, start: block.before, length: block.length });
        blocks = Some(shared.collect::<Vec<_>>());
    }
    let beside = Beside { version: &new, blocks: blocks.as_deref() };
    Ok((versions.get(history, old_path, change.old, Some(beside))?, new))
}
