//! What a walk against the edges came to: the symbols that may break, and the tests that would tell.

use super::call_path::CallPath;
use super::node_line::NodeLine;
use orient_engine::{EngineError, GraphView, Reach, ReachStep};
use orient_model::{EdgeKind, Role};
use std::collections::BTreeSet;

/// The steps that are symbols that may break: not what changes, and not a base on the way to its callers.
pub(crate) fn affected(reached: &Reach) -> impl Iterator<Item = (usize, &ReachStep)> {
    let by_dispatch = |step: &ReachStep| step.edges.iter().all(|edge| edge.kind == EdgeKind::Dispatches);
    let steps = reached.steps.iter().enumerate();
    steps.filter(move |(_, step)| step.parent.is_some() && !step.again && !by_dispatch(step))
}

/// The tests among what a walk came to.
pub(crate) struct AffectedTests {
    /// The first of them, nearest first, each with the way from it to what changes.
    pub(crate) routes: Vec<CallPath>,
    /// How many there are in all.
    pub(crate) total: u64,
    /// Files of tests whose top-level code leads there: it runs before their tests, in ways that are not followed.
    pub(crate) top_levels: u64,
}

/// The tests among what was reached, the first `most` of them with their way. Code inside a test belongs to it; a helper
/// of tests is none.
pub(crate) fn tests(
    view: &GraphView<'_>,
    reached: &Reach,
    most: usize,
) -> Result<AffectedTests, EngineError> {
    let mut found = AffectedTests { routes: Vec::new(), total: 0, top_levels: 0 };
    let mut known = BTreeSet::new();
    for (at, step) in affected(reached) {
        let Some(test) = view.test_around(step.node)? else {
            let runs = step.edges.iter().any(|edge| edge.kind != EdgeKind::Imports);
            let top_level = step.node.file().is_some() && view.file_of(step.node)?.role == Role::Test;
            found.top_levels += u64::from(runs && top_level);
            continue;
        };
        if !known.insert(test) {
            continue;
        }
        found.total += 1;
        if found.routes.len() >= most {
            continue;
        }
        let mut chain = reached.chain(at);
        chain.reverse();
        let edges = chain.windows(2).filter_map(|pair| {
            let edge = reached.steps[pair[0]].edges.first()?;
            Some((edge, reached.steps[pair[1]].node))
        });
        let mut route = CallPath::along(view, step.node, edges)?;
        if test != step.node {
            route.start_within(NodeLine::of(&view.describe(test)?));
        }
        found.routes.push(route);
    }
    Ok(found)
}
