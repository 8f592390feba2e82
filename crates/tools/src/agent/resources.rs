//! MCP resources: the current text of files and symbols, and completion of their addresses.

use crate::arguments::symbol_lookup::{UnresolvedName, resolve_symbol};
use crate::error::{Code, ToolError};
use crate::session::Session;
use crate::text::escape::escape_invisible;
use orient_engine::{DefinitionQuery, FileQuery, FileRow, NameMatch, PathPattern, RefreshDepth, Snapshot};
use orient_model::{RepoPath, Span};
use std::fmt::Write;

/// Maximum number of lines of a resource.
const MAX_LINES: u32 = 5_000;

/// The text of an indexed file, by its path from the root.
pub fn file_text(session: &Session<'_>, path: &str) -> Result<String, ToolError> {
    let snapshot = facts(session)?;
    let file = indexed_file(&snapshot, path)?;
    lines(&snapshot, &file, 1, file.lines.max(1))
}

/// The text of a symbol, by its handle or an unambiguous name.
pub fn symbol_text(session: &Session<'_>, handle: &str) -> Result<String, ToolError> {
    let snapshot = facts(session)?;
    let definition = match resolve_symbol(&snapshot, handle)? {
        Ok(subject) => subject.definition,
        Err(UnresolvedName::Several { total, candidates, .. }) => {
            let first: Vec<String> = candidates.iter().take(5).map(|one| one.handle.to_string()).collect();
            let message = format!("`{handle}` is ambiguous: it names {total} symbols");
            return Err(
                ToolError::new(Code::NotFound, message).hint(format!("for example {}", first.join(", ")))
            );
        }
        Err(UnresolvedName::None { similar, .. }) => {
            let error = ToolError::new(Code::NotFound, format!("no symbol is named `{handle}`"));
            let near = similar.first().map(|name| format!("did you mean `{name}`?"));
            return Err(error.hint(near.unwrap_or_default()));
        }
    };
    let file = indexed_file(&snapshot, &definition.path.display())?;
    lines(&snapshot, &file, definition.span.first_line, definition.span.last_line)
}

/// Completes a path: the first `max` indexed paths that contain it, those that start with it first, and their total.
pub fn paths_like(
    session: &Session<'_>,
    prefix: &str,
    max: usize,
) -> Result<(Vec<String>, usize), ToolError> {
    let snapshot = facts(session)?;
    let query = FileQuery { indexed: Some(true), ..FileQuery::default() };
    let all = snapshot.files(&query, 0, usize::MAX)?.rows;
    let paths = all.iter().map(|row| row.path.display().into_owned());
    let (starting, containing): (Vec<String>, Vec<String>) =
        paths.filter(|path| path.contains(prefix)).partition(|path| path.starts_with(prefix));
    let total = starting.len() + containing.len();
    Ok((starting.into_iter().chain(containing).take(max).collect(), total))
}

/// Completes a handle or name: the first `max` handles of symbols whose name starts with it, and their total.
pub fn handles_like(
    session: &Session<'_>,
    prefix: &str,
    max: usize,
) -> Result<(Vec<String>, usize), ToolError> {
    let snapshot = facts(session)?;
    let (path, name) = prefix.rsplit_once('#').map_or((None, prefix), |(path, name)| (Some(path), name));
    let path = path.map(str::parse::<PathPattern>).transpose()?;
    let last = name.rsplit('.').next().unwrap_or(name);
    if last.is_empty() && path.is_none() {
        return Ok((Vec::new(), 0));
    }
    let name = if last.is_empty() { NameMatch::default() } else { NameMatch::Prefix(last.to_owned()) };
    let page = snapshot.symbols(&DefinitionQuery { name, path, ..DefinitionQuery::default() }, 0, max)?;
    Ok((page.rows.iter().map(|one| one.handle.to_string()).collect(), page.total))
}

/// A snapshot whose facts are up to date; the graph may lag behind.
fn facts(session: &Session<'_>) -> Result<Snapshot, ToolError> {
    session.set_depth(RefreshDepth::Facts);
    session.snapshot()
}

/// An indexed file. Only indexed files can be read: they are in the tree, and none is a symbolic link.
fn indexed_file(snapshot: &Snapshot, path: &str) -> Result<FileRow, ToolError> {
    let row = snapshot.file(&RepoPath::from(path))?;
    row.filter(|row| Snapshot::skip_reason(row).is_none()).ok_or_else(|| {
        ToolError::new(Code::NotFound, format!("the index has no file `{path}`"))
            .hint("paths start at the root of the repository, for example src/main.c")
    })
}

fn lines(snapshot: &Snapshot, file: &FileRow, first: u32, last: u32) -> Result<String, ToolError> {
    let span = Span {
        first_line: first,
        last_line: last.min(first.saturating_add(MAX_LINES - 1)),
        ..Span::default()
    };
    let mut text = String::new();
    for line in snapshot.source(file, span, 0)?.lines {
        text.push_str(&escape_invisible(&line));
        text.push('\n');
    }
    if span.last_line < last {
        let _ = writeln!(text, "(lines {}-{last} omitted)", span.last_line + 1);
    }
    Ok(text)
}
