//! From what a user says has changed (a symbol, a file, a diff, all since a revision) to the nodes that have.

use super::node_line::NodeLine;
use crate::arguments::path_argument;
use crate::arguments::symbol_lookup::{UnresolvedName, resolve_symbol};
use crate::arguments::unified_diff::{self, Changed};
use crate::error::{Code, ToolError};
use crate::session::Session;
use orient_engine::{FileId, FileOutline, FileQuery, GraphView, NodeId, Snapshot};
use orient_history::{FileChange, History, HistoryError};
use orient_model::{RepoPath, Symbol};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::Read;
use std::str::FromStr;

/// A revision, the text of a diff, or where that is.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub(crate) enum ChangeSource {
    /// A revision, or the text of a diff: what a program sends.
    Text(String),
    /// A revision, or a file with a diff: what is typed.
    Typed(String),
    /// A diff that is piped in.
    Input,
}

// Not `From`: the command line would take that for its own, and what is typed there may be the name of a file.
impl TryFrom<String> for ChangeSource {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.trim().is_empty() {
            Err("there is neither a diff nor a revision")
        } else {
            Ok(Self::Text(text))
        }
    }
}

impl FromStr for ChangeSource {
    type Err = Infallible;

    fn from_str(typed: &str) -> Result<Self, Infallible> {
        Ok(if typed == "-" { Self::Input } else { Self::Typed(typed.to_owned()) })
    }
}

/// The files that have changed, by path.
type Files = BTreeMap<RepoPath, Changed>;

impl ChangeSource {
    /// What has changed; never nothing. A diff has lines in any case, a revision where they are asked for.
    pub(crate) fn files(
        &self,
        session: &Session<'_>,
        snapshot: &Snapshot,
        with_lines: bool,
    ) -> Result<Files, ToolError> {
        let (files, revision) = match self {
            Self::Input => {
                let mut bytes = Vec::new();
                let read = std::io::stdin().read_to_end(&mut bytes);
                read.map_err(|error| unreadable("the standard input", &error))?;
                (parsed(&bytes), None)
            }
            Self::Text(text) => {
                // A revision has no blanks, and no diff does without.
                let revision = Some(text.trim()).filter(|text| !text.contains(char::is_whitespace));
                (parsed(text.as_bytes()), revision)
            }
            Self::Typed(typed) => {
                let path = session.folders()[0].join(typed);
                let bytes = if path.is_file() {
                    std::fs::read(&path).map_err(|error| unreadable(typed, &error))?
                } else {
                    Vec::new()
                };
                (parsed(&bytes), Some(typed.as_str()))
            }
        };
        match revision {
            _ if !files.is_empty() => Ok(files),
            Some(revision) => since(session, snapshot, revision, with_lines),
            None => {
                let error = ToolError::new(Code::BadArgument, "there is no file in the diff");
                Err(error.hint("give a unified diff (`git diff | orient impact --diff -`), or a revision"))
            }
        }
    }
}

fn unreadable(name: &str, error: &std::io::Error) -> ToolError {
    ToolError::new(Code::Io, format!("cannot read {name}: {error}"))
}

fn parsed(diff: &[u8]) -> Files {
    let files = unified_diff::parse(&String::from_utf8_lossy(diff));
    files.into_iter().map(|(path, changed)| (RepoPath::from(path.as_str()), changed)).collect()
}

/// The files that differ from those of a revision.
fn since(
    session: &Session<'_>,
    snapshot: &Snapshot,
    revision: &str,
    with_lines: bool,
) -> Result<Files, ToolError> {
    let rows = snapshot.files(&FileQuery::default(), 0, usize::MAX)?.rows;
    let known: Vec<_> = rows.into_iter().map(|row| (row.path, row.stamp)).collect();
    let found = History::open(session.root()).and_then(|mut it| it.changes(revision, &known, with_lines));
    let found = found.map_err(|error| told(session, revision, &error))?;
    if found.is_empty() {
        return Err(ToolError::new(Code::NotFound, format!("no file has changed since `{revision}`")));
    }
    let changed = |it: FileChange| Changed { lines: it.lines, gaps: it.deletions, removed: it.removed };
    Ok(found.into_iter().map(|(path, touched)| (path, changed(touched))).collect())
}

/// What a user can do about a history that gives no answer.
fn told(session: &Session<'_>, typed: &str, error: &HistoryError) -> ToolError {
    let by_diff = "give a unified diff instead, for example `git diff main | … -`";
    match error {
        HistoryError::Unknown { revision, near } => {
            let is_file = revision == typed && session.folders()[0].join(typed).is_file();
            let message =
                if is_file { format!("`{typed}` has no diff in it, and {error}") } else { error.to_string() };
            let hint = match &near[..] {
                [] => format!("a branch, a tag or a commit; or {by_diff}"),
                near => format!("did you mean `{}`?", near.join("`, `")),
            };
            ToolError::new(Code::NotFound, message).hint(hint)
        }
        HistoryError::Unusable { .. } => ToolError::new(Code::BadArgument, error.to_string())
            .hint("a branch, a tag, a commit, `HEAD~3`, or `main...` for what came since it parted"),
        HistoryError::NoRepository(_) | HistoryError::Unsupported(_) => {
            ToolError::new(Code::BadArgument, error.to_string()).hint(by_diff)
        }
        HistoryError::Damaged(_) | HistoryError::Io(_) => {
            ToolError::new(Code::Io, error.to_string()).hint(by_diff)
        }
    }
}

/// What has changed.
#[derive(Default)]
pub(crate) struct ChangedSymbols {
    /// The symbols and files, in the order they were named or by path.
    pub(crate) named: Vec<NodeLine>,
    /// Their nodes, with all that is in them.
    pub(crate) nodes: Vec<NodeId>,
    /// Own names of the symbols, for uses that only have the name.
    pub(crate) names: Vec<String>,
    /// What has changed and cannot be followed, with the reason.
    pub(crate) unknown: Vec<String>,
}

impl ChangedSymbols {
    fn add(&mut self, view: &GraphView<'_>, node: NodeId) -> Result<(), ToolError> {
        let members = view.members(node)?;
        let described = view.describe(node)?;
        self.named.push(NodeLine::of(&described));
        self.names.extend(described.definition.map(|definition| definition.name));
        for member in members {
            if !self.nodes.contains(&member) {
                self.nodes.push(member);
            }
        }
        Ok(())
    }
}

/// The nodes of symbols and files as a user names them.
pub(crate) fn named(
    session: &Session<'_>,
    view: &GraphView<'_>,
    typed: &[String],
) -> Result<Result<ChangedSymbols, UnresolvedName>, ToolError> {
    let mut subjects = ChangedSymbols::default();
    for one in typed {
        if let Some(file) = path_argument::file(session, view.snapshot(), one)? {
            subjects.add(view, file.id.into())?;
            continue;
        }
        match resolve_symbol(view.snapshot(), one)? {
            Ok(subject) => {
                subjects.add(view, subject.definition.id.into())?;
                for declaration in subject.declarations {
                    subjects.nodes.push(declaration.id.into());
                }
            }
            Err(unclear) => return Ok(Err(unclear)),
        }
    }
    Ok(Ok(subjects))
}

/// The symbols whose lines have changed.
pub(crate) fn changed_since(
    session: &Session<'_>,
    view: &GraphView<'_>,
    since: &ChangeSource,
) -> Result<ChangedSymbols, ToolError> {
    let mut subjects = ChangedSymbols::default();
    for (path, changed) in since.files(session, view.snapshot(), true)? {
        let row = view.snapshot().file(&path)?;
        let path = path.display();
        match row {
            Some(row) if !changed.removed => add_lines(view, &mut subjects, row.id, &changed)?,
            _ if changed.removed => subjects.unknown.push(format!("{path}: removed; its symbols are gone")),
            _ => subjects.unknown.push(format!("{path}: not in the index")),
        }
    }
    Ok(subjects)
}

fn add_lines(
    view: &GraphView<'_>,
    subjects: &mut ChangedSymbols,
    file: FileId,
    changed: &Changed,
) -> Result<(), ToolError> {
    let held = view.outline(file)?;
    let mut touched: Vec<usize> = Vec::new();
    let mut outside = 0_u64;
    let on_lines = changed.lines.iter().map(|&line| (line, line));
    let in_gaps = changed.gaps.iter().map(|&line| (line.saturating_sub(1), line));
    for (first, last) in on_lines.chain(in_gaps) {
        match innermost(&held, first, last) {
            Some(at) => touched.push(at),
            None => outside += 1,
        }
    }
    touched.sort_unstable();
    touched.dedup();
    for at in touched {
        // Only the symbol itself: what lies inside it was not touched, or is touched itself.
        if let Some(&id) = held.ids.get(at) {
            let node = NodeId::from(id);
            let described = view.describe(node)?;
            subjects.named.push(NodeLine::of(&described));
            subjects.names.extend(described.definition.map(|definition| definition.name));
            subjects.nodes.push(node);
        }
    }
    if outside > 0 {
        let path = held.file.path.display();
        subjects
            .unknown
            .push(format!("{path}: lines outside any symbol; `orient rdeps {path}` has its users"));
    }
    Ok(())
}

/// The smallest symbol around lines.
fn innermost(held: &FileOutline, first: u32, last: u32) -> Option<usize> {
    let around = |symbol: &Symbol| symbol.span.first_line <= first && last <= symbol.span.last_line;
    held.outline.symbols.iter().rposition(around)
}
