//! What a walk against the edges came to: the symbols that may break, and the tests that would tell.

use super::node::NodeLine;
use super::route::Route;
use orient_engine::{EngineError, GraphView, Reach, Step};
use orient_model::EdgeKind;
use std::collections::BTreeSet;

/// The steps that are symbols that may break: not what changes, and not a base on the way to its callers.
pub(crate) fn affected(reached: &Reach) -> impl Iterator<Item = (usize, &Step)> {
    let by_dispatch = |step: &Step| step.edges.iter().all(|edge| edge.kind == EdgeKind::Dispatches);
    let steps = reached.steps.iter().enumerate();
    steps.filter(move |(_, step)| step.parent.is_some() && !step.again && !by_dispatch(step))
}

/// The tests among what was reached that no other test calls, with the way from each to what changes. What stands inside
/// a test belongs to it.
pub(crate) fn tests(view: &GraphView<'_>, reached: &Reach, most: usize) -> Result<Vec<Route>, EngineError> {
    let mut called = vec![false; reached.steps.len()];
    for step in reached.steps.iter().filter(|step| !step.again) {
        step.parent.into_iter().for_each(|parent| called[parent] = true);
    }
    let (mut found, mut known) = (Vec::new(), BTreeSet::new());
    for (at, step) in affected(reached) {
        if found.len() >= most || called[at] || !view.is_test(step.node)? {
            continue;
        }
        let Some(test) = view.outermost_callable(step.node)?.filter(|test| known.insert(*test)) else {
            continue;
        };
        let mut chain = reached.chain(at);
        chain.reverse();
        let edges = chain.windows(2).filter_map(|pair| {
            let edge = reached.steps[pair[0]].edges.first()?;
            Some((edge, reached.steps[pair[1]].node))
        });
        let mut route = Route::along(view, step.node, edges)?;
        if test != step.node {
            route.start_within(NodeLine::of(&view.describe(test)?));
        }
        found.push(route);
    }
    Ok(found)
}
