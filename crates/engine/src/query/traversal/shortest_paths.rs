//! Shortest paths between nodes: several paths in a total order, or everything from which the end can be reached.
//!
//! A breadth-first search runs backward from the ends, because incoming edges are indexed. A best-first search then
//! runs forward from the starts it met; since all distances are known, it never leaves a shortest path needlessly.
//!
//! Example: for `a→b→d`, `a→c→d`, the backward search gives d:0, b:1, c:1, a:2; the forward search yields `a b d` and
//! `a c d`.

use super::Edges;
use crate::{EdgeRow, NodeId};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Maximum number of partial paths tried per requested path.
const MAX_PARTIAL_PATHS: usize = 2_000;

/// The start nodes of paths.
pub enum PathStarts<'f, F> {
    /// Any of these; the search ends when it meets the first.
    These(&'f [NodeId]),
    /// Any node that the predicate accepts; the search ends when it has met this many.
    Any(&'f dyn Fn(NodeId) -> Result<bool, F>, usize),
}

/// The options of a search.
pub struct PathOptions<'f, F> {
    /// Maximum number of paths.
    pub paths: usize,
    /// Maximum length of a path.
    pub depth: u32,
    /// Maximum number of nodes to visit.
    pub visits: usize,
    /// Which edges to follow.
    pub follow: &'f dyn Fn(&EdgeRow) -> bool,
    /// Which nodes to enter.
    pub enter: &'f dyn Fn(NodeId) -> Result<bool, F>,
}

/// A path from the source of the first edge to the target of the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphPath {
    /// The start; also the end if there are no edges.
    pub start: NodeId,
    /// The edges in order; between two nodes the most confident one.
    pub edges: Vec<EdgeRow>,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphPaths {
    /// The paths, shortest first, then by node order.
    pub found: Vec<GraphPath>,
    /// Every node from which the end can be reached, as far as the search went; nearest first.
    pub reaching: Vec<NodeId>,
    /// Whether the search hit a limit.
    pub truncated: bool,
}

/// The shortest paths to one of `ends`. If more paths are requested, paths one edge longer follow.
pub fn shortest_paths<E: Edges>(
    graph: &E,
    starts: &PathStarts<'_, E::Error>,
    ends: &[NodeId],
    options: &PathOptions<'_, E::Error>,
) -> Result<GraphPaths, E::Error> {
    let mut search = PathSearch {
        graph,
        options,
        distance: FxHashMap::default(),
        onward: FxHashMap::default(),
        met: Vec::new(),
        truncated: false,
    };
    let from = search.backward(starts, ends)?;
    let found = search.forward(from)?;
    Ok(GraphPaths { found, reaching: search.met, truncated: search.truncated })
}

struct PathSearch<'s, E: Edges> {
    graph: &'s E,
    options: &'s PathOptions<'s, E::Error>,
    distance: FxHashMap<NodeId, u32>,
    /// The most confident edge from a node to each node that is nearer to the end or was met after it.
    onward: FxHashMap<NodeId, Vec<EdgeRow>>,
    met: Vec<NodeId>,
    truncated: bool,
}

impl<E: Edges> PathSearch<'_, E> {
    /// Searches backward from the ends; returns the starts that it met.
    fn backward(
        &mut self,
        starts: &PathStarts<'_, E::Error>,
        ends: &[NodeId],
    ) -> Result<Vec<NodeId>, E::Error> {
        for &end in ends {
            if self.distance.insert(end, 0).is_none() {
                self.met.push(end);
            }
        }
        let (mut from, mut done) = (Vec::new(), 0);
        for level in 0..=self.options.depth {
            let here = self.met[done..].to_vec();
            for &node in &here {
                if starts.contains(node)? {
                    from.push(node);
                }
            }
            if here.is_empty() || starts.enough(&from) {
                // Also record edges between nodes of this level: they give paths that are one edge longer.
                for node in here {
                    self.expand_backward(node, None)?;
                }
                break;
            }
            if self.met.len() > self.options.visits || level == self.options.depth {
                self.truncated = true;
                break;
            }
            done = self.met.len();
            for node in here {
                self.expand_backward(node, Some(level + 1))?;
            }
        }
        Ok(from)
    }

    /// Records the edges that lead to a node, and assigns a distance to their sources if one is given.
    fn expand_backward(&mut self, node: NodeId, distance: Option<u32>) -> Result<(), E::Error> {
        let mut best: Vec<EdgeRow> = Vec::new();
        for edge in self.graph.incoming(node)?.into_iter().filter(|edge| (self.options.follow)(edge)) {
            match best.iter_mut().find(|known| known.source == edge.source) {
                Some(known) if rank(known) <= rank(&edge) => {}
                Some(known) => *known = edge,
                None => best.push(edge),
            }
        }
        for edge in best {
            let source = edge.source;
            if !self.distance.contains_key(&source) {
                let Some(distance) = distance else { continue };
                if !(self.options.enter)(source)? {
                    continue;
                }
                self.distance.insert(source, distance);
                self.met.push(source);
            }
            self.onward.entry(source).or_default().push(edge);
        }
        Ok(())
    }

    /// Searches forward from the starts, nearest first.
    fn forward(&mut self, from: Vec<NodeId>) -> Result<Vec<GraphPath>, E::Error> {
        let mut ordered = Vec::with_capacity(from.len());
        for node in from {
            ordered.push((self.graph.order(node)?, node));
        }
        ordered.sort();
        let mut open = BinaryHeap::new();
        let mut paths_so_far: Vec<GraphPath> = Vec::new();
        for (_, start) in ordered {
            let estimate = self.distance[&start];
            open.push(Reverse((estimate, paths_so_far.len())));
            paths_so_far.push(GraphPath { start, edges: Vec::new() });
        }
        let mut found = Vec::new();
        while let Some(Reverse((_, at))) = open.pop() {
            if found.len() >= self.options.paths
                || paths_so_far.len() > self.options.paths * MAX_PARTIAL_PATHS
            {
                break;
            }
            let path = paths_so_far[at].clone();
            let end = path.edges.last().map_or(path.start, |edge| edge.target);
            if self.distance[&end] == 0 {
                found.push(path);
                continue;
            }
            for edge in self.sorted_onward(end)? {
                let known =
                    path.start == edge.target || path.edges.iter().any(|one| one.target == edge.target);
                let length = path.edges.len() as u32 + 1 + self.distance[&edge.target];
                if known || length > self.options.depth {
                    continue;
                }
                let mut longer = path.clone();
                longer.edges.push(edge);
                open.push(Reverse((length, paths_so_far.len())));
                paths_so_far.push(longer);
            }
        }
        Ok(found)
    }

    fn sorted_onward(&self, node: NodeId) -> Result<Vec<EdgeRow>, E::Error> {
        let Some(edges) = self.onward.get(&node) else { return Ok(Vec::new()) };
        let mut ordered = Vec::with_capacity(edges.len());
        for &edge in edges {
            ordered.push((self.graph.order(edge.target)?, edge.line, edge));
        }
        ordered.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        Ok(ordered.into_iter().map(|(_, _, edge)| edge).collect())
    }
}

impl<F> PathStarts<'_, F> {
    fn contains(&self, node: NodeId) -> Result<bool, F> {
        match self {
            Self::These(nodes) => Ok(nodes.contains(&node)),
            Self::Any(says, _) => says(node),
        }
    }

    fn enough(&self, found: &[NodeId]) -> bool {
        match self {
            Self::These(_) => !found.is_empty(),
            Self::Any(_, wanted) => found.len() >= *wanted,
        }
    }
}

/// Most confident edge first, then the first in the file.
fn rank(edge: &EdgeRow) -> impl Ord + use<> {
    (edge.confidence, edge.line, edge.kind, edge.rule)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::traversal::WithDispatch;
    use crate::query::traversal::test_graph::TestGraph;
    use proptest::prelude::*;

    /// The paths found, as `a b c | a d c`, and the full result.
    fn paths_so_far(text: &str, from: &str, to: &str, paths: usize) -> (String, GraphPaths) {
        let graph = WithDispatch(TestGraph::new(text));
        let options = PathOptions { paths, depth: 9, visits: 99, follow: &|_| true, enter: &|_| Ok(true) };
        let any = |node| Ok(graph.0.name(node).starts_with("main"));
        let these = [graph.0.node(if from.is_empty() { to } else { from })];
        let starts = if from.is_empty() { PathStarts::Any(&any, 2) } else { PathStarts::These(&these) };
        let found = shortest_paths(&graph, &starts, &[graph.0.node(to)], &options).expect("there");
        let show = |path: &GraphPath| {
            let rest = path.edges.iter().map(|edge| format!(" {}", graph.0.name(edge.target)));
            format!("{}{}", graph.0.name(path.start), rest.collect::<String>())
        };
        (found.found.iter().map(show).collect::<Vec<_>>().join(" | "), found)
    }

    #[test]
    fn shortest_paths_come_first_and_ties_are_in_node_order() {
        let text = "a calls c; a calls b; b calls d; c calls d; a calls e; e calls b; d calls a";
        assert_eq!(paths_so_far(text, "a", "d", 1).0, "a b d");
        assert_eq!(paths_so_far(text, "a", "d", 9).0, "a b d | a c d | a e b d");
    }

    #[test]
    fn paths_go_through_dispatch() {
        let text = "main calls shape.area; circle.area overrides shape.area; circle.area calls sqrt";
        assert_eq!(paths_so_far(text, "main", "sqrt", 3).0, "main shape.area circle.area sqrt");
    }

    #[test]
    fn without_a_start_the_nearest_accepted_nodes_are_found() {
        let text = "main1 calls a; main2 calls b; b calls a; a calls x; main3 calls c; c calls b";
        assert_eq!(paths_so_far(text, "", "x", 9).0, "main1 a x | main2 b a x");
    }

    #[test]
    fn without_a_path_the_ancestors_of_the_end_are_returned() {
        let (found, paths) = paths_so_far("a calls b; c calls d; d calls e", "a", "e", 3);
        assert_eq!((found.as_str(), paths.reaching.len(), paths.truncated), ("", 3, false));
    }

    #[test]
    fn a_node_has_an_empty_path_to_itself() {
        assert_eq!(paths_so_far("a calls b; b calls a", "a", "a", 3).0, "a");
    }

    proptest! {
        #[test]
        fn paths_are_connected_simple_and_the_first_is_shortest(
            pairs in prop::collection::vec((0..8_u8, 0..8_u8), 1..24),
        ) {
            let name = |node: u8| char::from(b'a' + node);
            let edges: Vec<String> =
                pairs.iter().map(|&(from, to)| format!("{} calls {}", name(from), name(to))).collect();
            let (from, to) = (pairs[0].0, pairs[pairs.len() - 1].1);
            let shown = [name(from).to_string(), name(to).to_string()];
            let (_, paths) = paths_so_far(&edges.join(";"), &shown[0], &shown[1], 4);
            prop_assert_eq!(paths.found.first().map(|path| path.edges.len()), distance(&pairs, from, to));
            prop_assert!(paths.found.is_sorted_by_key(|path| path.edges.len()));
            for path in &paths.found {
                let mut nodes = vec![path.start];
                for edge in &path.edges {
                    prop_assert_eq!(Some(&edge.source), nodes.last());
                    prop_assert!(!nodes.contains(&edge.target), "a path comes nowhere twice");
                    nodes.push(edge.target);
                }
            }
        }
    }

    /// The distance between two nodes, by brute force.
    fn distance(pairs: &[(u8, u8)], from: u8, to: u8) -> Option<usize> {
        let mut reached = vec![from];
        for length in 0..=8 {
            if reached.contains(&to) {
                return Some(length);
            }
            let next = pairs.iter().filter(|(source, _)| reached.contains(source)).map(|(_, target)| *target);
            reached = reached.iter().copied().chain(next).collect();
            reached.sort_unstable();
            reached.dedup();
        }
        None
    }
}
