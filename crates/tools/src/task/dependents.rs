//! What depends on a file or on symbols: the uses in other files that a change must not break, and the tests.

use crate::error::ToolError;
use crate::graph::affected_symbols::{self, affected};
use crate::graph::node_line::NodeLine;
use orient_engine::{
    Direction, EdgeRow, EngineError, GraphView, NodeId, ReachOptions, Snapshot, WithDispatch, reach,
};
use orient_model::{Confidence, EdgeKind, Visibility};
use orient_task::{DependentUse, Impact, Location};
use serde::Serialize;
use std::collections::BTreeSet;

/// Maximum number of uses that must be verified: the nearest ones. The rest should be.
const MAX_MUST: usize = 12;
/// Maximum number of uses that should be verified.
const MAX_SHOULD: usize = 12;
/// Maximum distance of a test, and number of symbols searched for tests.
const TEST_DEPTH: u32 = 4;
const TEST_STEPS: usize = 600;
/// Maximum number of tests.
const MAX_TESTS: usize = 12;

/// What depends on the code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dependents {
    /// Direct uses in other files: callers and implementers.
    pub(crate) must: Vec<UseOf>,
    /// Further ones.
    pub(crate) should: Vec<UseOf>,
    /// Tests that reach it, nearest first.
    pub(crate) tests: Vec<UseOf>,
    /// What it means for the risk.
    pub(crate) impact: Impact,
}

/// A use, or a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct UseOf {
    /// The handle of the symbol that contains it.
    pub(crate) symbol: String,
    /// Its file.
    pub(crate) path: String,
    /// Its line.
    pub(crate) line: u32,
}

impl UseOf {
    /// As the rules see it.
    pub(crate) fn dependent(&self) -> DependentUse {
        let at = Location { path: self.path.clone(), line: Some(self.line) };
        DependentUse { at, symbol: self.symbol.clone() }
    }

    /// `path:line`.
    pub(crate) fn anchor(&self) -> String {
        format!("{}:{}", self.path, self.line)
    }
}

fn is_use(edge: &EdgeRow) -> bool {
    edge.confidence <= Confidence::Probable && !matches!(edge.kind, EdgeKind::Imports | EdgeKind::TypeOf)
}

/// What depends on nodes. Uses within their own files are not listed: who edits a file reads it.
pub(crate) fn of_nodes(
    view: &GraphView<'_>,
    nodes: &[NodeId],
    with_tests: bool,
) -> Result<Dependents, ToolError> {
    let mut own = BTreeSet::new();
    for &node in nodes {
        own.insert(view.file_of(node)?.id);
    }
    let options = ReachOptions {
        direction: Direction::In,
        depth: if with_tests { TEST_DEPTH } else { 1 },
        per_level: TEST_STEPS,
        total: TEST_STEPS,
        follow: &is_use,
        enter: &|_| Ok(true),
    };
    let reached = reach(&WithDispatch(view), nodes, &options)?;
    let mut found = Dependents::default();
    for (_, step) in affected(&reached).filter(|(_, step)| step.level == 1) {
        found.impact.callers += 1;
        let file = view.file_of(step.node)?;
        if own.contains(&file.id) || view.is_test(step.node)? {
            continue;
        }
        let Some(edge) = step.edges.first() else { continue };
        let symbol = NodeLine::of(&view.describe(step.node)?).handle;
        let one = UseOf { symbol, path: file.path.display().into_owned(), line: edge.line };
        if found.must.len() < MAX_MUST {
            found.must.push(one);
        } else if found.should.len() < MAX_SHOULD {
            found.should.push(one);
        }
    }
    if with_tests {
        let tests = affected_symbols::tests(view, &reached, MAX_TESTS)?;
        found.impact.tests = tests.total;
        for path in tests.paths {
            let Some(first) = path.steps.first() else { continue };
            let node = &first.node;
            let one = UseOf { symbol: node.handle.clone(), path: node.path.clone(), line: node.line };
            found.tests.push(one);
        }
    }
    found.impact.known = !nodes.is_empty();
    for &node in nodes {
        let definition = view.describe(node)?.definition;
        found.impact.public |= definition.is_some_and(|one| one.visibility == Visibility::Public);
    }
    Ok(found)
}

/// The nodes of a file: those of the given symbols in it, or all of them.
pub(crate) fn nodes_of_file(
    view: &GraphView<'_>,
    snapshot: &Snapshot,
    path: &str,
    handles: &[String],
) -> Result<Vec<NodeId>, EngineError> {
    let Some(file) = snapshot.file(&path.into())? else { return Ok(Vec::new()) };
    let held = snapshot.outline(file.clone())?;
    let mut nodes = Vec::new();
    for one in held.definitions() {
        if handles.contains(&one.handle.to_string()) {
            nodes.extend(view.members(one.id.into())?);
        }
    }
    if nodes.is_empty() {
        nodes = view.members(file.id.into())?;
    }
    Ok(nodes)
}
