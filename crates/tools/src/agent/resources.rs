//! Files and symbols as resources: their text as it is now, and what completes the beginning of their address.

use crate::arguments::symbol_lookup::{UnresolvedName, resolve_symbol};
use crate::error::{Code, ToolError};
use crate::session::Session;
use crate::text::escape::escape_invisible;
use orient_engine::{DefinitionQuery, FileQuery, FileRow, NameMatch, PathPattern, RefreshDepth, Snapshot};
use orient_model::{RepoPath, Span};
use std::fmt::Write;

/// The most lines one resource shows.
const LINES: u32 = 5_000;

/// The text of a file of the index, by its path from the root.
pub fn file_text(session: &Session<'_>, path: &str) -> Result<String, ToolError> {
    let snapshot = facts(session)?;
    let file = known(&snapshot, path)?;
    lines(&snapshot, &file, 1, file.lines.max(1))
}

/// The text of a symbol, by its handle or a name that means it alone.
pub fn symbol_text(session: &Session<'_>, handle: &str) -> Result<String, ToolError> {
    let snapshot = facts(session)?;
    let definition = match resolve_symbol(&snapshot, handle)? {
        Ok(subject) => subject.definition,
        Err(UnresolvedName::Several { total, candidates, .. }) => {
            let first: Vec<String> = candidates.iter().take(5).map(|one| one.handle.to_string()).collect();
            let message = format!("`{handle}` stands for {total} symbols");
            return Err(ToolError::new(Code::NotFound, message).hint(format!("such as {}", first.join(", "))));
        }
        Err(UnresolvedName::None { similar, .. }) => {
            let error = ToolError::new(Code::NotFound, format!("nothing is called `{handle}`"));
            let near = similar.first().map(|name| format!("did you mean `{name}`?"));
            return Err(error.hint(near.unwrap_or_default()));
        }
    };
    let file = known(&snapshot, &definition.path.display())?;
    lines(&snapshot, &file, definition.span.first_line, definition.span.last_line)
}

/// Paths of the index that begin so, sorted: the first of them, and how many there are.
pub fn paths_like(
    session: &Session<'_>,
    begun: &str,
    most: usize,
) -> Result<(Vec<String>, usize), ToolError> {
    let snapshot = facts(session)?;
    let query = FileQuery { indexed: Some(true), ..FileQuery::default() };
    let all = snapshot.files(&query, 0, usize::MAX)?.rows;
    let paths = all.iter().map(|row| row.path.display().into_owned());
    let (begins, holds): (Vec<String>, Vec<String>) =
        paths.filter(|path| path.contains(begun)).partition(|path| path.starts_with(begun));
    let total = begins.len() + holds.len();
    Ok((begins.into_iter().chain(holds).take(most).collect(), total))
}

/// Handles of symbols whose name begins so: the first of them, and how many there are.
pub fn handles_like(
    session: &Session<'_>,
    begun: &str,
    most: usize,
) -> Result<(Vec<String>, usize), ToolError> {
    let snapshot = facts(session)?;
    let (path, name) = begun.rsplit_once('#').map_or((None, begun), |(path, name)| (Some(path), name));
    let path = path.map(str::parse::<PathPattern>).transpose()?;
    let last = name.rsplit('.').next().unwrap_or(name);
    if last.is_empty() && path.is_none() {
        return Ok((Vec::new(), 0));
    }
    let name = if last.is_empty() { NameMatch::default() } else { NameMatch::Prefix(last.to_owned()) };
    let page = snapshot.symbols(&DefinitionQuery { name, path, ..DefinitionQuery::default() }, 0, most)?;
    Ok((page.rows.iter().map(|one| one.handle.to_string()).collect(), page.total))
}

/// The index, as far as files and symbols are concerned.
fn facts(session: &Session<'_>) -> Result<Snapshot, ToolError> {
    session.set_depth(RefreshDepth::Facts);
    session.snapshot()
}

/// Only what the index has can be read: it has nothing but files of the tree, and no link among them.
fn known(snapshot: &Snapshot, path: &str) -> Result<FileRow, ToolError> {
    let row = snapshot.file(&RepoPath::from(path))?;
    row.filter(|row| Snapshot::skip_reason(row).is_none()).ok_or_else(|| {
        ToolError::new(Code::NotFound, format!("there is no file `{path}` in the index"))
            .hint("paths are from the top of the repository, such as src/main.c")
    })
}

fn lines(snapshot: &Snapshot, file: &FileRow, first: u32, last: u32) -> Result<String, ToolError> {
    let span =
        Span { first_line: first, last_line: last.min(first.saturating_add(LINES - 1)), ..Span::default() };
    let mut text = String::new();
    for line in snapshot.source(file, span, 0)?.lines {
        text.push_str(&escape_invisible(&line));
        text.push('\n');
    }
    if span.last_line < last {
        let _ = writeln!(text, "(lines {}-{last} are left out)", span.last_line + 1);
    }
    Ok(text)
}
