//! The neighbours of a symbol in the graph: callers, callees, used types and tests.

use crate::graph::affected_symbols;
use crate::graph::call_path::CallPath;
use crate::graph::node_line::NodeLine;
use orient_engine::{
    DescribedNode, Direction, EdgeRow, Edges, EngineError, GraphView, NodeId, ReachOptions, WithDispatch,
    reach,
};
use orient_model::{Confidence, EdgeKind};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Maximum distance of a test.
const MAX_TEST_DEPTH: u32 = 4;
/// Maximum number of symbols searched for tests.
const MAX_TEST_STEPS: usize = 400;
/// Maximum number of tests.
const MAX_TESTS: usize = 5;

/// A neighbour, and the lines of the uses.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Neighbour {
    /// The symbol.
    #[serde(flatten)]
    pub(super) node: NodeLine,
    /// Its signature; absent for callers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) signature: Option<String>,
    /// The lines of the uses, in the file that contains them.
    pub(super) lines: Vec<u32>,
    /// The highest confidence of the uses.
    pub(super) confidence: &'static str,
}

/// The neighbours of a symbol.
#[derive(Default)]
pub(super) struct Neighbourhood {
    pub(super) callers: Vec<Neighbour>,
    pub(super) callees: Vec<Neighbour>,
    pub(super) types: Vec<Neighbour>,
    pub(super) tests: Vec<CallPath>,
}

/// Collects the neighbours. For a type, callees include those of its members; for a part of a symbol, only those of its lines.
pub(super) fn neighbourhood(
    view: &GraphView<'_>,
    node: NodeId,
    part: Option<&RangeInclusive<u32>>,
    tests: bool,
) -> Result<Neighbourhood, EngineError> {
    let inside = view.members(node)?;
    let is_inside = |other: &NodeId| inside.contains(other);
    let mut incoming = view.incoming(node)?;
    incoming.retain(|edge| is_use(edge) && !is_inside(&edge.source));
    let mut outgoing = Vec::new();
    for &member in &inside {
        outgoing.extend(view.outgoing(member)?);
    }
    let in_part = |edge: &EdgeRow| part.is_none_or(|lines| lines.contains(&edge.line));
    outgoing
        .retain(|edge| edge.confidence <= Confidence::Probable && !is_inside(&edge.target) && in_part(edge));
    let (calls, types): (Vec<EdgeRow>, Vec<EdgeRow>) = outgoing
        .into_iter()
        .filter(|edge| is_use(edge) || is_type(edge.kind))
        .partition(|edge| matches!(edge.kind, EdgeKind::Calls));
    // Tests are listed separately, with their paths.
    let callers = gather(view, &incoming, Direction::In)?;
    let callers = callers.into_iter().filter(|one| !tests || !one.node.test).collect();
    Ok(Neighbourhood {
        callers,
        callees: gather(view, &calls, Direction::Out)?,
        types: gather(view, &types, Direction::Out)?,
        tests: if tests && part.is_none() { tests_of(view, &inside)? } else { Vec::new() },
    })
}

fn is_use(edge: &EdgeRow) -> bool {
    edge.confidence <= Confidence::Probable
        && matches!(
            edge.kind,
            EdgeKind::Calls | EdgeKind::Constructs | EdgeKind::Inherits | EdgeKind::Implements
        )
}

fn is_type(kind: EdgeKind) -> bool {
    matches!(kind, EdgeKind::TypeOf | EdgeKind::Constructs | EdgeKind::Inherits | EdgeKind::Implements)
}

/// The other ends of edges, each once: by confidence, number of uses, then location.
fn gather(
    view: &GraphView<'_>,
    edges: &[EdgeRow],
    direction: Direction,
) -> Result<Vec<Neighbour>, EngineError> {
    let mut ends: BTreeMap<NodeId, (Confidence, Vec<u32>)> = BTreeMap::new();
    for edge in edges {
        let (confidence, lines) = ends.entry(direction.end(edge)).or_insert((edge.confidence, Vec::new()));
        *confidence = edge.confidence.min(*confidence);
        lines.push(edge.line);
    }
    let mut found = Vec::with_capacity(ends.len());
    for (end, (confidence, mut lines)) in ends {
        lines.sort_unstable();
        lines.dedup();
        let described = view.describe(end)?;
        let node = NodeLine::of(&described);
        let signature = match direction {
            Direction::In => None,
            Direction::Out => signature(&described),
        };
        let order = (confidence, std::cmp::Reverse(lines.len()), node.path.clone(), node.line);
        found.push((order, Neighbour { node, signature, lines, confidence: confidence.as_str() }));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found.into_iter().map(|(_, one)| one).collect())
}

fn signature(described: &DescribedNode) -> Option<String> {
    let written = &described.definition.as_ref()?.signature;
    (!written.is_empty()).then(|| crate::answer::symbol_line::shortened(written))
}

fn tests_of(view: &GraphView<'_>, starts: &[NodeId]) -> Result<Vec<CallPath>, EngineError> {
    let options = ReachOptions {
        direction: Direction::In,
        depth: MAX_TEST_DEPTH,
        per_level: MAX_TEST_STEPS,
        total: MAX_TEST_STEPS,
        follow: &is_use,
        enter: &|_| Ok(true),
    };
    let reached = reach(&WithDispatch(view), starts, &options)?;
    Ok(affected_symbols::tests(view, &reached, MAX_TESTS)?.paths)
}
