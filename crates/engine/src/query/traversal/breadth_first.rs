//! Breadth-first search with limits: what can be reached from a node, level by level.

use super::edges::toward;
use super::{Direction, Edges};
use crate::{EdgeRow, NodeId};
use orient_model::EdgeKind;
use rustc_hash::FxHashMap;

/// The options of a search.
pub struct ReachOptions<'f, F> {
    /// The direction to follow edges in.
    pub direction: Direction,
    /// Maximum number of levels.
    pub depth: u32,
    /// Maximum number of steps per level.
    pub per_level: usize,
    /// Maximum number of steps in total.
    pub total: usize,
    /// Which edges to follow.
    pub follow: &'f dyn Fn(&EdgeRow) -> bool,
    /// Which nodes to enter; others are only counted.
    pub enter: &'f dyn Fn(NodeId) -> Result<bool, F>,
}

/// A node that was reached from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachStep {
    /// The node.
    pub node: NodeId,
    /// The number of calls from the start. Dispatch is part of a call and adds no level.
    pub level: u32,
    /// The step that it was reached from; `None` for a start.
    pub parent: Option<usize>,
    /// The edges between the two, most confident first, then by line; empty for a start.
    pub edges: Vec<EdgeRow>,
    /// Whether the node was reached before: its successors are listed there.
    pub repeated: bool,
}

/// Counts of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelCounts {
    /// Steps in the result.
    pub shown: usize,
    /// Steps that the limits left out.
    pub truncated: usize,
    /// Nodes that were not entered.
    pub excluded: usize,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// The starts, then the reached nodes, level by level.
    pub steps: Vec<ReachStep>,
    /// Counts by level; the first is that of the starts, with what they dispatch to.
    pub levels: Vec<LevelCounts>,
    /// Number of nodes of the last level that were not expanded because of the depth limit.
    pub unexplored: usize,
}

impl Reach {
    /// Whether the limits left nothing out.
    pub fn is_whole(&self) -> bool {
        self.levels.iter().all(|level| level.truncated == 0)
    }

    /// The steps from a start to this one.
    pub fn chain(&self, mut at: usize) -> Vec<usize> {
        let mut chain = vec![at];
        while let Some(parent) = self.steps[at].parent {
            chain.push(parent);
            at = parent;
        }
        chain.reverse();
        chain
    }
}

/// Searches from the starts, breadth first. Neighbours are in node order, those reached by dispatch last.
pub fn reach<E: Edges>(
    graph: &E,
    starts: &[NodeId],
    options: &ReachOptions<'_, E::Error>,
) -> Result<Reach, E::Error> {
    let mut walk = BreadthFirst { graph, options, seen: FxHashMap::default(), reach: Reach::default() };
    walk.reach.levels.push(LevelCounts::default());
    for &node in starts {
        if walk.seen.insert(node, walk.reach.steps.len()).is_none() {
            walk.reach.steps.push(ReachStep {
                node,
                level: 0,
                parent: None,
                edges: Vec::new(),
                repeated: false,
            });
        }
    }
    walk.reach.levels[0].shown = walk.reach.steps.len();
    let mut current: Vec<usize> = (0..walk.reach.steps.len()).collect();
    for level in 0.. {
        if level == options.depth {
            walk.close(&mut current)?;
            walk.reach.unexplored = current.len();
            break;
        }
        let next = walk.expand(&mut current, level)?;
        if next.is_empty() {
            break;
        }
        current = next;
    }
    Ok(walk.reach)
}

struct BreadthFirst<'w, E: Edges> {
    graph: &'w E,
    options: &'w ReachOptions<'w, E::Error>,
    seen: FxHashMap<NodeId, usize>,
    reach: Reach,
}

impl<E: Edges> BreadthFirst<'_, E> {
    /// Expands the steps of a level, including those that dispatch adds to it; returns the steps of the next level.
    fn expand(&mut self, current: &mut Vec<usize>, level: u32) -> Result<Vec<usize>, E::Error> {
        let mut next = Vec::new();
        let mut at = 0;
        while let Some(&from) = current.get(at) {
            at += 1;
            for (node, edges) in self.neighbours(from)? {
                let free = is_dispatch(&edges);
                let reached = if free { level } else { level + 1 };
                if let Some(step) = self.step(from, node, edges, reached)? {
                    if free { current.push(step) } else { next.push(step) }
                }
            }
        }
        Ok(next)
    }

    /// Adds to the last level what dispatch reaches from it.
    fn close(&mut self, current: &mut Vec<usize>) -> Result<(), E::Error> {
        let (mut at, level) = (0, self.options.depth);
        while let Some(&from) = current.get(at) {
            at += 1;
            // Against the edges, a base member matters only for its callers.
            if self.options.direction == Direction::In {
                continue;
            }
            for (node, edges) in self.neighbours(from)?.into_iter().filter(|(_, edges)| is_dispatch(edges)) {
                current.extend(self.step(from, node, edges, level)?);
            }
        }
        Ok(())
    }

    /// The neighbours of a step, each with all edges to it.
    fn neighbours(&self, from: usize) -> Result<Vec<(NodeId, Vec<EdgeRow>)>, E::Error> {
        let Self { graph, options, .. } = self;
        let mut edges = toward(*graph, self.reach.steps[from].node, options.direction)?;
        edges.retain(|edge| (options.follow)(edge));
        let step = &self.reach.steps[from];
        if options.direction == Direction::In && step.parent.is_some() && is_dispatch(&step.edges) {
            // From a base member, follow only edges that may run the overriding member: its other subtypes are
            // unrelated.
            edges.retain(|edge| runs(edge.kind));
        }
        let mut at: FxHashMap<NodeId, usize> = FxHashMap::default();
        let mut found: Vec<(NodeId, Vec<EdgeRow>)> = Vec::new();
        for edge in edges {
            let node = options.direction.end(&edge);
            let index = *at.entry(node).or_insert_with(|| {
                found.push((node, Vec::new()));
                found.len() - 1
            });
            found[index].1.push(edge);
        }
        let mut ordered = Vec::with_capacity(found.len());
        for (node, mut edges) in found {
            edges.sort_unstable_by_key(|edge| (edge.confidence, edge.line, edge.kind, edge.rule));
            ordered.push((is_dispatch(&edges), graph.order(node)?, node, edges));
        }
        ordered.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        Ok(ordered.into_iter().map(|(_, _, node, edges)| (node, edges)).collect())
    }

    /// Adds a step if the limits allow it; returns its index if it must be expanded.
    fn step(
        &mut self,
        from: usize,
        node: NodeId,
        edges: Vec<EdgeRow>,
        level: u32,
    ) -> Result<Option<usize>, E::Error> {
        let levels = &mut self.reach.levels;
        levels.resize(levels.len().max(level as usize + 1), LevelCounts::default());
        let repeated = self.seen.contains_key(&node);
        if !repeated && !(self.options.enter)(node)? {
            self.reach.levels[level as usize].excluded += 1;
            return Ok(None);
        }
        let here = &mut self.reach.levels[level as usize];
        if here.shown >= self.options.per_level || self.reach.steps.len() >= self.options.total {
            here.truncated += 1;
            return Ok(None);
        }
        here.shown += 1;
        let index = self.reach.steps.len();
        self.reach.steps.push(ReachStep { node, level, parent: Some(from), edges, repeated });
        if repeated {
            return Ok(None);
        }
        self.seen.insert(node, index);
        Ok(Some(index))
    }
}

/// Whether an edge may run its target.
fn runs(kind: EdgeKind) -> bool {
    matches!(
        kind,
        EdgeKind::Calls
            | EdgeKind::Constructs
            | EdgeKind::References
            | EdgeKind::Dispatches
            | EdgeKind::Registers
            | EdgeKind::Passes
            | EdgeKind::Runs
            | EdgeKind::Requests
    )
}

/// Whether a neighbour is reached by dispatch only.
fn is_dispatch(edges: &[EdgeRow]) -> bool {
    edges.iter().all(|edge| edge.kind == EdgeKind::Dispatches)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::traversal::WithDispatch;
    use crate::query::traversal::test_graph::TestGraph;

    /// The steps after the start, each as `parent name level`; `=` marks a node that was reached before.
    fn walked(text: &str, start: &str, direction: Direction, bounds: [usize; 3]) -> (String, Reach) {
        let graph = WithDispatch(TestGraph::new(text));
        let options = ReachOptions {
            direction,
            depth: bounds[0] as u32,
            per_level: bounds[1],
            total: bounds[2],
            follow: &|edge| direction == Direction::In || edge.kind != EdgeKind::Overrides,
            enter: &|node| Ok(!graph.0.name(node).starts_with("test")),
        };
        let reach = reach(&graph, &[graph.0.node(start)], &options).expect("there");
        let show = |step: &ReachStep| {
            let parent =
                step.parent.map_or(String::new(), |at| format!("{} ", graph.0.name(reach.steps[at].node)));
            let repeated = if step.repeated { "=" } else { "" };
            format!("{parent}{}{repeated}{}", graph.0.name(step.node), step.level)
        };
        (reach.steps.iter().skip(1).map(show).collect::<Vec<_>>().join(", "), reach)
    }

    const ALL: [usize; 3] = [9, 99, 99];

    #[test]
    fn levels_are_in_order_and_cycles_terminate() {
        let text = "main calls run; run calls step; step calls run; run calls help; main calls help";
        let (out, reach) = walked(text, "main", Direction::Out, ALL);
        assert_eq!(out, "main help1, main run1, run help=2, run step2, step run=3");
        assert!(reach.is_whole());
        let (back, _) = walked(text, "help", Direction::In, ALL);
        assert_eq!(back, "help main1, help run1, run main=2, run step2, step run=3");
    }

    #[test]
    fn several_edges_to_a_neighbour_are_one_step() {
        let (out, reach) = walked("a calls b; a references b; a calls? b", "a", Direction::Out, ALL);
        assert_eq!(out, "a b1");
        let lines: Vec<u32> = reach.steps[1].edges.iter().map(|edge| edge.line).collect();
        assert_eq!(lines, [1, 2, 3], "the surest first");
    }

    #[test]
    fn dispatch_costs_no_level() {
        let text = "main calls shape.area; circle.area overrides shape.area; circle.area calls sqrt";
        let (out, _) = walked(text, "main", Direction::Out, ALL);
        assert_eq!(out, "main shape.area1, shape.area circle.area1, circle.area sqrt2");
        let (back, _) = walked(text, "circle.area", Direction::In, ALL);
        assert_eq!(back, "circle.area shape.area0, shape.area main1");
        let (near, _) = walked(text, "main", Direction::Out, [1, 99, 99]);
        assert_eq!(near, "main shape.area1, shape.area circle.area1", "what a call may reach belongs to it");
    }

    #[test]
    fn sibling_overrides_do_not_reach_each_other() {
        let text =
            "main calls shape.area; circle.area overrides shape.area; square.area overrides shape.area";
        let (back, _) = walked(text, "circle.area", Direction::In, ALL);
        assert_eq!(back, "circle.area shape.area0, shape.area main1");
        let (base, _) = walked(text, "shape.area", Direction::In, [1, 99, 99]);
        assert_eq!(base, "shape.area circle.area1, shape.area main1, shape.area square.area1");
    }

    #[test]
    fn limits_truncate_and_are_reported() {
        let text = "s calls a; s calls b; s calls c; a calls d; b calls e; e calls f";
        let (out, reach) = walked(text, "s", Direction::Out, [9, 2, 99]);
        assert_eq!(out, "s a1, s b1, a d2, b e2, e f3");
        assert_eq!(reach.levels[1], LevelCounts { shown: 2, truncated: 1, excluded: 0 });
        let (out, reach) = walked(text, "s", Direction::Out, [9, 99, 3]);
        assert_eq!(out, "s a1, s b1");
        assert!(!reach.is_whole());
        let (out, reach) = walked(text, "s", Direction::Out, [1, 99, 99]);
        assert_eq!((out.as_str(), reach.unexplored), ("s a1, s b1, s c1", 3));
    }

    #[test]
    fn nodes_that_are_not_entered_are_counted() {
        let (out, reach) = walked("test1 calls a; b calls a; test2 calls b", "a", Direction::In, ALL);
        assert_eq!(out, "a b1");
        assert_eq!((reach.levels[1].excluded, reach.levels[2].excluded), (1, 1));
    }
}
