//! Path arguments: relative to the current directory, or to the root of the tree as answers show them.

use super::name_forms::file_by_end;
use crate::answer::unread_files;
use crate::error::{Code, ToolError};
use crate::session::Session;
use crate::text::safe_line::unescape;
use orient_engine::{
    FileQuery, FileRow, PathKind, PathPattern, SkipReason, Snapshot, from_native, normalised,
};
use orient_model::RepoPath;
use std::path::Path;

/// A file, directory or glob of an argument.
pub(crate) struct PathArgument {
    /// The path from the root, or the glob.
    pub(crate) text: String,
    /// The files it matches.
    pub(crate) pattern: PathPattern,
    /// The file, if it is an indexed file.
    pub(crate) file: Option<FileRow>,
}

impl PathArgument {
    /// The note about a file that exists but is not indexed.
    pub(crate) fn not_indexed(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        let reason = Snapshot::skip_reason(file)?;
        Some(format!("`{}` is not indexed: {reason}{}", self.text, remedy(&reason)))
    }
}

/// How to have it indexed, if a setting decides.
fn remedy(reason: &SkipReason) -> &'static str {
    match reason {
        SkipReason::NestedRepository => {
            "; `index.nested_repositories = true` in your user settings includes it; or use it as --root"
        }
        SkipReason::TooLarge { .. } => "; `index.max_file_size` sets the limit",
        _ => "",
    }
}

/// Resolves a file, directory or glob. An unknown path is an error with a suggestion.
pub(crate) fn resolve(
    session: &Session<'_>,
    snapshot: &Snapshot,
    typed: &str,
) -> Result<PathArgument, ToolError> {
    match find(session, snapshot, typed)? {
        Some(path) => Ok(path),
        None => Err(unknown(session, snapshot, typed)?),
    }
}

/// Resolves a file, directory or glob, if it matches anything.
pub(crate) fn find(
    session: &Session<'_>,
    snapshot: &Snapshot,
    typed: &str,
) -> Result<Option<PathArgument>, ToolError> {
    if session.own_text(typed).is_none() {
        return Ok(None);
    }
    let text = from_root(session, typed);
    let file = snapshot.file(&RepoPath::from(text.as_str()))?;
    let exists = file.is_some() || session.path_kind(&RepoPath::from(text.as_str())).is_some();
    let pattern = pattern(&text, exists)?;
    if file.is_some() {
        return Ok(Some(PathArgument { text, pattern, file }));
    }
    let query = FileQuery { path: Some(pattern.clone()), ..FileQuery::default() };
    let page = snapshot.files(&query, 0, 1)?;
    if page.total == 0 {
        let Some(file) = file_by_end(snapshot, &text)? else { return Ok(None) };
        let text = file.path.display().into_owned();
        return Ok(Some(PathArgument { pattern: self::pattern(&text, true)?, text, file: Some(file) }));
    }
    // A name that is not UTF-8 is matched in its escaped form.
    let only = page.rows.into_iter().next().filter(|row| page.total == 1 && row.path.display() == text);
    Ok(Some(PathArgument { text, pattern, file: only }))
}

/// The pattern of a file, directory or glob, which need not match anything.
pub(crate) fn pattern_from_root(session: &Session<'_>, typed: &str) -> Result<PathPattern, ToolError> {
    let text = from_root(session, typed);
    let exists = session.path_kind(&RepoPath::from(text.as_str())).is_some();
    pattern(&text, exists)
}

/// The file of a path argument, or the only one whose path ends with it, if it exists in the index.
pub(crate) fn file(
    session: &Session<'_>,
    snapshot: &Snapshot,
    typed: &str,
) -> Result<Option<FileRow>, ToolError> {
    if session.own_text(typed).is_none() {
        return Ok(None);
    }
    file_by_end(snapshot, &from_root(session, typed))
}

/// The path from the root. The current directory takes precedence over the root. A path that exists in neither is tried
/// with the escapes of an answer decoded, and otherwise used as typed, since the index may still contain it.
fn from_root(session: &Session<'_>, typed: &str) -> String {
    let typed = session.own_text(typed).unwrap_or(typed);
    existing(session, typed)
        .or_else(|| existing(session, &unescape(typed)?))
        .unwrap_or_else(|| typed.trim_start_matches("./").trim_end_matches('/').to_owned())
}

/// The path from the root of an existing file or directory.
fn existing(session: &Session<'_>, typed: &str) -> Option<String> {
    let root = session.root();
    for base in session.directories() {
        let base = base.canonicalize().unwrap_or_else(|_| root.to_owned());
        let path = normalised(&base.join(typed));
        if let Ok(inside) = path.strip_prefix(root)
            && kind_at(session, &path).is_some()
            && let Some(text) = inside.to_str()
        {
            return Some(if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() });
        }
    }
    None
}

/// What is at an absolute path, if it is in the tree.
pub(crate) fn kind_at(session: &Session<'_>, path: &Path) -> Option<PathKind> {
    session.path_kind(&from_native(session.root(), &normalised(path))?)
}

/// The files that a path or glob matches. The name of an existing file is not a glob, whatever characters it has; a name
/// that is shown with `\xNN` because it is not UTF-8 is matched in that form.
fn pattern(text: &str, exists: bool) -> Result<PathPattern, ToolError> {
    if exists && !text.is_empty() {
        return Ok(PathPattern::under(text));
    }
    if !text.contains("\\x") {
        return Ok(text.parse()?);
    }
    let mut escaped = String::new();
    for c in text.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    Ok(format!("/{{{escaped},{escaped}/**}}").parse()?)
}

/// The error for a path, location or handle inside a directory that is not indexed.
pub(crate) fn in_skipped_directory(
    session: &Session<'_>,
    snapshot: &Snapshot,
    typed: &str,
) -> Result<Option<ToolError>, ToolError> {
    inside_of_skipped(snapshot, typed, &from_root(session, typed))
}

fn inside_of_skipped(snapshot: &Snapshot, typed: &str, text: &str) -> Result<Option<ToolError>, ToolError> {
    for (end, _) in text.match_indices('/') {
        let directory = &text[..end];
        if let Some(row) = snapshot.file(&RepoPath::from(directory))?
            && let Some(reason) = Snapshot::skip_reason(&row)
        {
            let message = format!("`{typed}` is not indexed: `{directory}` is skipped ({reason})");
            let error = ToolError::new(Code::NotFound, message);
            let remedy = remedy(&reason).trim_start_matches("; ");
            return Ok(Some(if remedy.is_empty() { error } else { error.hint(remedy) }));
        }
    }
    Ok(None)
}

/// The error for a path that the index does not have, with a suggestion.
pub(crate) fn unknown(
    session: &Session<'_>,
    snapshot: &Snapshot,
    typed: &str,
) -> Result<ToolError, ToolError> {
    let text = &from_root(session, typed);
    if let Some(error) = inside_of_skipped(snapshot, typed, text)? {
        return Ok(error);
    }
    let all = snapshot.files(&FileQuery::default(), 0, usize::MAX)?.rows;
    let paths: Vec<String> = all.iter().map(|row| row.path.display().into_owned()).collect();
    let behind = format!("/{text}");
    let ending: Vec<&str> = paths.iter().map(String::as_str).filter(|path| path.ends_with(&behind)).collect();
    if let [first, _, ..] = ending[..] {
        let message = format!("`{typed}` is the end of {} paths", ending.len());
        let listed = ending.iter().take(5).copied().collect::<Vec<_>>().join(", ");
        let error = ToolError::new(Code::NotFound, message);
        return Ok(error.hint(if ending.len() > 5 {
            format!("for example {first}")
        } else {
            format!("one of {listed}")
        }));
    }
    let near = ending.first().copied().or_else(|| {
        let directories = paths.iter().filter_map(|path| Some(path.rsplit_once('/')?.0));
        orient_model::nearest(text, paths.iter().map(String::as_str).chain(directories))
    });
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "the list of files has all that are indexed; ignored files are not".to_owned(),
    };
    let pattern = pattern_from_root(session, typed)?;
    let unread = unread_files::named(snapshot, &pattern);
    let unread = unread.map_or_else(String::new, |unread| format!("; {unread}"));
    let message = format!("the index has no file or directory `{typed}`{unread}");
    Ok(ToolError::new(Code::NotFound, message).hint(hint))
}
