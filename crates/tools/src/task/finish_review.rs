//! The review of a finished change: the diff against the commit that the task started from, what depends on it, and the tests.

use crate::error::ToolError;
use crate::session::Session;
use crate::task::dependents::{self, UseOf};
use orient_engine::{FileQuery, NodeId, Snapshot};
use orient_history::{History, HistoryError};
use orient_model::{Modifier, RepoPath, Role, Visibility};
use orient_task::{ChangedFile, NewSymbol, ReviewInput, Task};

/// Maximum number of lines of one file that are reviewed.
const MAX_LINES: usize = 5_000;

/// A diff and what depends on it.
pub(crate) struct DiffReview {
    pub(crate) input: ReviewInput,
    /// Tests that reach the change, nearest first.
    pub(crate) tests: Vec<UseOf>,
    /// Why the diff could not be computed.
    pub(crate) unknown: Option<String>,
}

/// Compares the tree with a commit, and finds what depends on the difference.
pub(crate) fn of_tree(
    session: &Session<'_>,
    snapshot: &Snapshot,
    task: &Task,
    base: &str,
) -> Result<DiffReview, ToolError> {
    let mut review = DiffReview { input: ReviewInput::default(), tests: Vec::new(), unknown: None };
    let expected = &mut review.input.expected;
    expected.extend(task.understanding.files.iter().cloned());
    expected.extend(task.files_planned.iter().cloned());
    let handles = task.understanding.symbols.iter().chain(&task.understanding.patterns);
    expected.extend(handles.filter_map(|handle| handle.split_once('#')).map(|(path, _)| path.to_owned()));
    let rows = snapshot.files(&FileQuery::default(), 0, usize::MAX)?.rows;
    let known: Vec<_> = rows.into_iter().map(|row| (row.path, row.stamp)).collect();
    let base = if base.is_empty() { "HEAD" } else { base };
    let opened = History::open(session.root());
    let changes = opened.and_then(|mut history| {
        let changes = history.changes(base, &known, true)?;
        Ok::<_, HistoryError>((history, changes))
    });
    let (history, changes) = match changes {
        Ok(found) => found,
        Err(error) => {
            review.unknown = Some(error.to_string());
            return Ok(review);
        }
    };
    let view = snapshot.graph();
    let mut changed_nodes: Vec<NodeId> = Vec::new();
    for (path, change) in changes {
        let row = snapshot.file(&path)?;
        let text = history.working_file(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        let line_at =
            |number: &u32| lines.get(*number as usize - 1).map(|line| (*number, (*line).to_owned()));
        let is_new = !change.removed && change.deletions.is_empty() && change.lines.len() >= lines.len();
        review.input.files.push(ChangedFile {
            path: path.display().into_owned(),
            added: change.lines.iter().take(MAX_LINES).filter_map(line_at).collect(),
            removed: change.deletions.len(),
            is_new,
            is_deleted: change.removed,
            is_support: row.as_ref().is_none_or(|row| row.role != Role::Source),
        });
        let Some(row) = row.filter(|_| !change.removed) else { continue };
        let (is_code, shown) = (row.role == Role::Source, path.display().into_owned());
        let held = snapshot.outline(row)?;
        for one in held.definitions() {
            let touched =
                change.lines.iter().any(|line| (one.span.first_line..=one.span.last_line).contains(line));
            if !touched {
                continue;
            }
            changed_nodes.push(one.id.into());
            let whole = (one.span.first_line..=one.span.last_line).all(|line| change.lines.contains(&line));
            let counts = one.visibility == Visibility::Public
                && (one.kind.is_callable() || one.kind.is_type())
                && !one.modifiers.contains(Modifier::Test);
            if whole && counts && is_code {
                let found = dependents::of_nodes(&view, &view.members(one.id.into())?, true)?;
                review.input.new_symbols.push(NewSymbol {
                    handle: one.handle.to_string(),
                    path: shown.clone(),
                    line: one.span.first_line,
                    tested: !found.tests.is_empty(),
                    documented: one.doc.is_some(),
                });
            }
        }
    }
    if !changed_nodes.is_empty() {
        let found = dependents::of_nodes(&view, &changed_nodes, true)?;
        review.input.must = found.must.iter().map(UseOf::dependent).collect();
        review.tests = found.tests;
        // A changed test is run too.
        for node in changed_nodes {
            if let Some(test) = view.test_around(node)? {
                let line = crate::graph::node_line::NodeLine::of(&view.describe(test)?);
                let one = UseOf { symbol: line.handle, path: line.path, line: line.line };
                if !review.tests.contains(&one) {
                    review.tests.push(one);
                }
            }
        }
    }
    Ok(review)
}

/// Maximum number of tests in a command.
const MAX_NAMED_TESTS: usize = 8;

/// The command that runs the tests: the command that the language of the first test states, for all tests of that language.
pub(crate) fn test_command(snapshot: &Snapshot, tests: &[UseOf]) -> Result<Option<String>, ToolError> {
    let Some(first) = tests.first() else { return Ok(None) };
    let language = |path: &str| -> Result<Option<String>, ToolError> {
        Ok(snapshot.file(&RepoPath::from(path))?.and_then(|row| row.language))
    };
    let Some(of_first) = language(&first.path)? else { return Ok(None) };
    let mut same = Vec::new();
    for test in tests.iter().take(MAX_NAMED_TESTS) {
        if language(&test.path)?.as_ref() == Some(&of_first) {
            let names = test.symbol.split_once('#').map(|(_, name)| name.split('~').next().unwrap_or(name));
            same.push((test.path.clone(), names.unwrap_or_default().to_owned()));
        }
    }
    Ok(orient_engine::test_command(&of_first, &same))
}
