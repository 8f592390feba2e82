//! What a question about history is about: a symbol, a file, or lines of a file.

use crate::arguments::path_argument;
use crate::arguments::symbol_lookup::{ResolvedSymbol, UnresolvedName, resolve_symbol};
use crate::error::ToolError;
use crate::history::history_error;
use crate::session::Session;
use orient_engine::Snapshot;
use orient_history::{History, HistoryError, Oid};
use orient_model::RepoPath;
use orient_timeline::HistoryIndex;
use std::ops::ControlFlow;

/// The subject of a question.
pub(crate) enum HistoryTarget {
    /// A file that exists, or once did.
    File(RepoPath),
    /// Lines of the working file: the first and the last.
    Lines(RepoPath, u32, u32),
    /// A symbol.
    Symbol(Box<ResolvedSymbol>),
}

/// Resolves `path`, `path:10`, `path:10-40`, a handle or a name. A path that is no longer in the tree is found in the history.
pub(crate) fn resolve(
    session: &Session<'_>,
    snapshot: &Snapshot,
    index: &mut HistoryIndex,
    history: &mut History,
    start: Oid,
    typed: &str,
) -> Result<Result<HistoryTarget, UnresolvedName>, ToolError> {
    if let Some(file) = path_argument::file(session, snapshot, typed)? {
        return Ok(Ok(HistoryTarget::File(file.path)));
    }
    if let Some((path, lines)) = typed.rsplit_once(':')
        && let Some((first, last)) = line_range(lines)
        && let Some(file) = path_argument::file(session, snapshot, path)?
    {
        return Ok(Ok(HistoryTarget::Lines(file.path, first, last)));
    }
    let unresolved = match resolve_symbol(snapshot, typed)? {
        Ok(symbol) => return Ok(Ok(HistoryTarget::Symbol(Box::new(symbol)))),
        Err(unresolved) => unresolved,
    };
    if let UnresolvedName::None { .. } = unresolved
        && (typed.contains('/') || typed.contains('.'))
    {
        let path = RepoPath::from(typed.trim_start_matches("./").trim_end_matches('/'));
        let existed = match index.ever_had(&history.path_from_top(&path)) {
            Some(existed) => existed,
            None => existed(history, start, &path).map_err(|error| history_error(&error))?,
        };
        if existed {
            return Ok(Ok(HistoryTarget::File(path)));
        }
    }
    Ok(Err(unresolved))
}

/// Whether a commit changed a file at this path.
fn existed(history: &mut History, start: Oid, path: &RepoPath) -> Result<bool, HistoryError> {
    let mut existed = false;
    history.path_log(start, path, &mut |_, _, _| {
        existed = true;
        Ok(ControlFlow::Break(()))
    })?;
    Ok(existed)
}

/// Parses `10` or `10-40`.
fn line_range(typed: &str) -> Option<(u32, u32)> {
    let (first, last) = typed.split_once('-').unwrap_or((typed, typed));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (1 <= first && first <= last).then_some((first, last))
}
