//! From what a user says has changed (a symbol, a file, a diff) to the nodes that have.

use super::node::NodeLine;
use crate::diff::{self, Changed};
use crate::error::{Code, ToolError};
use crate::found::{Unclear, subject};
use crate::paths;
use crate::session::Session;
use orient_engine::{FileId, FileOutline, GraphView, NodeId};
use orient_model::{RepoPath, Symbol};
use schemars::JsonSchema;
use serde::Deserialize;
use std::convert::Infallible;
use std::io::Read;
use std::str::FromStr;

/// The text of a diff, or where it is.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub(crate) enum DiffSource {
    /// The text itself: what a program sends.
    Text(String),
    /// A file with it.
    File(String),
    /// What is piped in.
    Input,
}

// Not `From`: the command line would take that for its own, and what is typed there is the name of a file.
impl TryFrom<String> for DiffSource {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.trim().is_empty() { Err("the diff is empty") } else { Ok(Self::Text(text)) }
    }
}

impl FromStr for DiffSource {
    type Err = Infallible;

    fn from_str(typed: &str) -> Result<Self, Infallible> {
        Ok(if typed == "-" { Self::Input } else { Self::File(typed.to_owned()) })
    }
}

impl DiffSource {
    pub(crate) fn read(&self, session: &Session<'_>) -> Result<String, ToolError> {
        let (bytes, name) = match self {
            Self::Text(text) => return Ok(text.clone()),
            Self::File(path) => (std::fs::read(session.folders()[0].join(path)), path.as_str()),
            Self::Input => {
                let mut bytes = Vec::new();
                (std::io::stdin().read_to_end(&mut bytes).map(|_| bytes), "the standard input")
            }
        };
        let bytes =
            bytes.map_err(|error| ToolError::new(Code::Io, format!("cannot read {name}: {error}")))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// What has changed.
#[derive(Default)]
pub(crate) struct Subjects {
    /// The symbols and files, in the order they were named or by path.
    pub(crate) named: Vec<NodeLine>,
    /// Their nodes, with all that is in them.
    pub(crate) nodes: Vec<NodeId>,
    /// Own names of the symbols, for uses that only have the name.
    pub(crate) names: Vec<String>,
    /// What has changed and cannot be followed, with the reason.
    pub(crate) unknown: Vec<String>,
}

impl Subjects {
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
) -> Result<Result<Subjects, Unclear>, ToolError> {
    let mut subjects = Subjects::default();
    for one in typed {
        if let Some(file) = paths::file(session, view.snapshot(), one)? {
            subjects.add(view, file.id.into())?;
            continue;
        }
        match subject(view.snapshot(), one)? {
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

/// The symbols whose lines a diff touches.
pub(crate) fn of_diff(
    session: &Session<'_>,
    view: &GraphView<'_>,
    source: &DiffSource,
) -> Result<Subjects, ToolError> {
    let files = diff::parse(&source.read(session)?);
    if files.is_empty() {
        let error = ToolError::new(Code::BadArgument, "there is no file in the diff");
        return Err(error.hint("give a unified diff: git diff | orient impact --diff -"));
    }
    let mut subjects = Subjects::default();
    for (path, changed) in files {
        let row = view.snapshot().file(&RepoPath::from(path.as_str()))?;
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
    subjects: &mut Subjects,
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
