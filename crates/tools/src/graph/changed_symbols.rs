//! The symbols that changed: named ones, those of files, those of a diff, or those changed since a revision.

use super::node_line::NodeLine;
use crate::answer::Doubt;
use crate::arguments::path_argument;
use crate::arguments::symbol_lookup::{UnresolvedName, resolve_symbol, unresolved_language};
use crate::arguments::unified_diff::{self, FileDiff};
use crate::error::{Code, ToolError};
use crate::session::Session;
use orient_engine::{FileId, FileOutline, FileQuery, GraphView, NodeId, Snapshot};
use orient_history::{FileChange, History, HistoryError};
use orient_model::{RepoPath, Symbol};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::io::Read;
use std::str::FromStr;

/// The source of a change: a revision, the text of a diff, or a file with one.
#[derive(Clone, Debug)]
pub(crate) enum ChangeSource {
    /// A revision or the text of a diff, sent by a program.
    Text(String),
    /// A revision or the name of a file with a diff, from the command line.
    Typed(String),
    /// A diff on the standard input.
    Input,
}

impl ChangeSource {
    /// The source that a program names: never a file of this machine.
    pub(crate) fn sent(text: &str) -> Result<Self, &'static str> {
        if text.trim().is_empty() {
            Err("expected a diff or a revision")
        } else {
            Ok(Self::Text(text.to_owned()))
        }
    }
}

impl FromStr for ChangeSource {
    type Err = Infallible;

    fn from_str(typed: &str) -> Result<Self, Infallible> {
        Ok(if typed == "-" { Self::Input } else { Self::Typed(typed.to_owned()) })
    }
}

/// The changed files, by path.
pub(crate) type Files = BTreeMap<RepoPath, FileDiff>;

/// The files that a source of changes means.
pub(crate) struct ChangedFiles {
    /// The files, never empty. Those of a diff always have lines.
    pub(crate) files: Files,
    /// The revision that the working tree is compared with; `None` for a diff.
    pub(crate) revision: Option<String>,
}

impl ChangeSource {
    /// The changed files. Those of a revision have lines only with `with_lines`.
    pub(crate) fn files(
        &self,
        session: &Session<'_>,
        snapshot: &Snapshot,
        with_lines: bool,
    ) -> Result<ChangedFiles, ToolError> {
        let (files, revision) = match self {
            Self::Input => {
                let mut bytes = Vec::new();
                let read = std::io::stdin().read_to_end(&mut bytes);
                read.map_err(|error| unreadable("the standard input", &error))?;
                (parsed(&bytes), None)
            }
            Self::Text(text) => {
                // A revision contains no white space; a diff does.
                let revision = Some(text.trim()).filter(|text| !text.contains(char::is_whitespace));
                (parsed(text.as_bytes()), revision)
            }
            Self::Typed(typed) => {
                let path = session.directories()[0].join(typed);
                let bytes = if path.is_file() {
                    std::fs::read(&path).map_err(|error| unreadable(typed, &error))?
                } else {
                    Vec::new()
                };
                (parsed(&bytes), Some(typed.as_str()))
            }
        };
        match revision {
            _ if !files.is_empty() => Ok(ChangedFiles { files, revision: None }),
            Some(revision) => {
                let files = since(session, snapshot, revision, with_lines)?;
                Ok(ChangedFiles { files, revision: Some(revision.to_owned()) })
            }
            None => {
                let error = ToolError::new(Code::BadArgument, "the diff contains no file");
                Err(error.hint("pass a unified diff (`git diff | orient impact --diff -`) or a revision"))
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

/// The files that differ from a revision.
fn since(
    session: &Session<'_>,
    snapshot: &Snapshot,
    revision: &str,
    with_lines: bool,
) -> Result<Files, ToolError> {
    if session.revision().is_some() {
        let message = "a revision is compared with the working tree, which `at` replaces";
        let hint = "`changes A..B` compares two revisions; or pass a unified diff";
        return Err(ToolError::new(Code::BadArgument, message).hint(hint));
    }
    let rows = snapshot.files(&FileQuery::default(), 0, usize::MAX)?.rows;
    let known: Vec<_> = rows.into_iter().map(|row| (row.path, row.stamp)).collect();
    let found = History::open(session.root()).and_then(|mut it| it.changes(revision, &known, with_lines));
    let found = found.map_err(|error| history_error(session, revision, &error))?;
    if found.is_empty() {
        return Err(ToolError::new(Code::NotFound, format!("no file has changed since `{revision}`")));
    }
    let changed = |it: FileChange| FileDiff {
        lines: it.lines,
        gaps: it.deletions,
        removed: it.removed,
        ..FileDiff::default()
    };
    Ok(found.into_iter().map(|(path, touched)| (path, changed(touched))).collect())
}

/// An error of the git history, with a hint.
fn history_error(session: &Session<'_>, typed: &str, error: &HistoryError) -> ToolError {
    let by_diff = "pass a unified diff instead, for example `git diff main | … -`";
    match error {
        HistoryError::Unknown { revision, near } => {
            let is_file = revision == typed && session.directories()[0].join(typed).is_file();
            let message =
                if is_file { format!("`{typed}` contains no diff, and {error}") } else { error.to_string() };
            let hint = match &near[..] {
                [] => format!("a branch, a tag or a commit; or {by_diff}"),
                near => format!("did you mean `{}`?", near.join("`, `")),
            };
            ToolError::new(Code::NotFound, message).hint(hint)
        }
        HistoryError::Unusable { .. } => ToolError::new(Code::BadArgument, error.to_string())
            .hint("a branch, a tag, a commit, `HEAD~3`, or `main...` for changes since the branch point"),
        HistoryError::NoRepository(_) | HistoryError::Unsupported(_) => {
            ToolError::new(Code::BadArgument, error.to_string()).hint(by_diff)
        }
        HistoryError::Damaged(_)
        | HistoryError::NotFetched(_)
        | HistoryError::Refused(_)
        | HistoryError::TooManyFiles { .. }
        | HistoryError::Stopped
        | HistoryError::Io(_) => ToolError::new(Code::Io, error.to_string()).hint(by_diff),
    }
}

/// The changed symbols.
#[derive(Default)]
pub(crate) struct ChangedSymbols {
    /// The symbols and files, in the order of the arguments or by path.
    pub(crate) named: Vec<NodeLine>,
    /// Their nodes and those of their members.
    pub(crate) nodes: Vec<NodeId>,
    /// The names of the symbols, for unverified uses of the same name.
    pub(crate) names: Vec<String>,
    /// Why uses of them are not known.
    pub(crate) unresolved: Vec<Doubt>,
    /// Changes that cannot be followed, with the reason.
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

/// The symbols and files of arguments.
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
                subjects.unresolved.extend(unresolved_language(&subject.definition));
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

/// The symbols whose lines changed. What was removed is not among them; `followed` are the files of which it is known.
pub(crate) fn changed_since(
    view: &GraphView<'_>,
    files: &Files,
    followed: &BTreeSet<RepoPath>,
) -> Result<ChangedSymbols, ToolError> {
    let mut subjects = ChangedSymbols::default();
    for (path, changed) in files {
        let row = view.snapshot().file(path)?;
        let is_followed = followed.contains(path);
        let path = path.display();
        match row {
            Some(row) if !changed.removed => add_lines(view, &mut subjects, row.id, changed, is_followed)?,
            _ if changed.removed && is_followed => {}
            _ if changed.removed => subjects.unknown.push(format!("{path}: removed, with its symbols")),
            _ => subjects.unknown.push(format!("{path}: not in the index")),
        }
    }
    Ok(subjects)
}

fn add_lines(
    view: &GraphView<'_>,
    subjects: &mut ChangedSymbols,
    file: FileId,
    changed: &FileDiff,
    is_followed: bool,
) -> Result<(), ToolError> {
    let held = view.outline(file)?;
    let mut touched: Vec<usize> = Vec::new();
    let mut top_level = 0_u64;
    let on_lines = changed.lines.iter().map(|&line| (line, line, true));
    // Symbols that were removed between others are told by the comparison with the old version.
    let in_gaps = changed.gaps.iter().map(|&line| (line.saturating_sub(1), line, !is_followed));
    for (first, last, counts) in on_lines.chain(in_gaps) {
        match innermost(&held, first, last) {
            Some(at) => touched.push(at),
            None => top_level += u64::from(counts),
        }
    }
    touched.sort_unstable();
    touched.dedup();
    for at in touched {
        // Only the symbol itself: its members are unchanged, or listed themselves.
        if let Some(&id) = held.ids.get(at) {
            let node = NodeId::from(id);
            let described = view.describe(node)?;
            subjects.named.push(NodeLine::of(&described));
            subjects.names.extend(described.definition.map(|definition| definition.name));
            subjects.nodes.push(node);
        }
    }
    if top_level > 0 {
        let path = held.file.path.display();
        subjects
            .unknown
            .push(format!("{path}: lines outside any symbol; `orient rdeps {path}` shows its dependents"));
    }
    Ok(())
}

/// The innermost symbol that contains the lines.
fn innermost(held: &FileOutline, first: u32, last: u32) -> Option<usize> {
    let around = |symbol: &Symbol| symbol.span.first_line <= first && last <= symbol.span.last_line;
    held.outline.symbols.iter().rposition(around)
}
