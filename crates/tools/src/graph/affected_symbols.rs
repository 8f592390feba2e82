//! Symbols and tests affected by a change: the result of a breadth-first search against the edges.

use super::call_path::CallPath;
use super::node_line::NodeLine;
use orient_engine::{EngineError, GraphView, NodeId, Reach, ReachStep};
use orient_model::{EdgeKind, Role};
use std::collections::BTreeSet;

/// The steps of affected symbols: without the changed symbols, and without base members on the way to their callers.
pub(crate) fn affected(reached: &Reach) -> impl Iterator<Item = (usize, &ReachStep)> {
    let by_dispatch = |step: &ReachStep| step.edges.iter().all(|edge| edge.kind == EdgeKind::Dispatches);
    let steps = reached.steps.iter().enumerate();
    steps.filter(move |(_, step)| step.parent.is_some() && !step.repeated && !by_dispatch(step))
}

/// The affected tests.
pub(crate) struct AffectedTests {
    /// The first tests, nearest first, each with its path to the changed symbol.
    pub(crate) paths: Vec<CallPath>,
    /// Total number of tests.
    pub(crate) total: u64,
    /// Number of test files whose top-level code is affected: it runs before their tests, which are not counted.
    pub(crate) top_levels: u64,
}

/// The affected tests, the first `max` with their paths. Code inside a test belongs to the test; test helpers are not tests.
pub(crate) fn tests(view: &GraphView<'_>, reached: &Reach, max: usize) -> Result<AffectedTests, EngineError> {
    AffectedTests::of(view, &[(reached, false)], max)
}

impl AffectedTests {
    /// The tests of several searches, nearest first in each; the flag of a search says that its starts are affected, too.
    pub(crate) fn of(
        view: &GraphView<'_>,
        searches: &[(&Reach, bool)],
        max: usize,
    ) -> Result<Self, EngineError> {
        let mut found = Self { paths: Vec::new(), total: 0, top_levels: 0 };
        let mut known = BTreeSet::new();
        for (reached, with_starts) in searches {
            let starts = reached.steps.iter().enumerate();
            let starts = starts.filter(|(_, step)| *with_starts && step.parent.is_none());
            for (at, step) in starts.chain(affected(reached)) {
                found.add(view, reached, (at, step), &mut known, max)?;
            }
        }
        Ok(found)
    }

    fn add(
        &mut self,
        view: &GraphView<'_>,
        reached: &Reach,
        (at, step): (usize, &ReachStep),
        known: &mut BTreeSet<NodeId>,
        max: usize,
    ) -> Result<(), EngineError> {
        let Some(test) = view.test_around(step.node)? else {
            let runs = step.edges.iter().any(|edge| edge.kind != EdgeKind::Imports);
            let top_level = step.node.file().is_some() && view.file_of(step.node)?.role == Role::Test;
            self.top_levels += u64::from(runs && top_level);
            return Ok(());
        };
        if !known.insert(test) {
            return Ok(());
        }
        self.total += 1;
        if self.paths.len() >= max {
            return Ok(());
        }
        let mut chain = reached.chain(at);
        chain.reverse();
        let edges = chain.windows(2).filter_map(|pair| {
            let edge = reached.steps[pair[0]].edges.first()?;
            Some((edge, reached.steps[pair[1]].node))
        });
        let mut path = CallPath::along(view, step.node, edges)?;
        if test != step.node {
            path.start_within(NodeLine::of(&view.describe(test)?));
        }
        self.paths.push(path);
        Ok(())
    }
}
