//! Shortest ways from one node to another: several, in a total order, or where the search ended.
//!
//! The search goes back from the end, since edges are found fastest by where they lead. What it met is then walked
//! forward, nearest first; every distance is known, so no wrong way is tried.

use super::Edges;
use crate::{EdgeRow, NodeId};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How many half-finished ways are looked at for each that is asked for.
const TRIED: usize = 2_000;

/// Where ways may start.
pub enum Starts<'f, F> {
    /// At one of these; the search ends with the first of them.
    These(&'f [NodeId]),
    /// At any node this says yes to; the search goes on until there are so many.
    Any(&'f dyn Fn(NodeId) -> Result<bool, F>, usize),
}

/// How to search.
pub struct WayOptions<'f, F> {
    /// At most so many ways.
    pub paths: usize,
    /// No way longer than this.
    pub depth: u32,
    /// Give up after so many nodes.
    pub visits: usize,
    /// Which edges are followed.
    pub follow: &'f dyn Fn(&EdgeRow) -> bool,
    /// Which nodes are entered.
    pub enter: &'f dyn Fn(NodeId) -> Result<bool, F>,
}

/// A way: from the source of the first edge to the target of the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Where it starts; the end too where there are no edges.
    pub start: NodeId,
    /// The edges, each from where the one before leads; the surest of those between two nodes.
    pub edges: Vec<EdgeRow>,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ways {
    /// The ways, shortest first, then by the places on them.
    pub found: Vec<Way>,
    /// Every node from which the end can be reached, as far as the search went; nearest first.
    pub behind: Vec<NodeId>,
    /// Whether the search gave up before it had seen all.
    pub gave_up: bool,
}

/// The shortest ways to one of `ends`. Ways one edge longer than the shortest follow where more are asked for.
pub fn shortest<E: Edges>(
    graph: &E,
    starts: &Starts<'_, E::Fault>,
    ends: &[NodeId],
    options: &WayOptions<'_, E::Fault>,
) -> Result<Ways, E::Fault> {
    let mut search = Search {
        graph,
        options,
        distance: FxHashMap::default(),
        onward: FxHashMap::default(),
        met: Vec::new(),
        gave_up: false,
    };
    let from = search.back(starts, ends)?;
    let found = search.forward(from)?;
    Ok(Ways { found, behind: search.met, gave_up: search.gave_up })
}

struct Search<'s, E: Edges> {
    graph: &'s E,
    options: &'s WayOptions<'s, E::Fault>,
    distance: FxHashMap<NodeId, u32>,
    /// The surest edge from a node to each that is nearer to the end or was met after it.
    onward: FxHashMap<NodeId, Vec<EdgeRow>>,
    met: Vec<NodeId>,
    gave_up: bool,
}

impl<E: Edges> Search<'_, E> {
    /// Goes back from the ends; gives the starts that were met.
    fn back(&mut self, starts: &Starts<'_, E::Fault>, ends: &[NodeId]) -> Result<Vec<NodeId>, E::Fault> {
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
                // The nodes of this level lead to each other too: a way that is one edge longer.
                for node in here {
                    self.look_behind(node, None)?;
                }
                break;
            }
            if self.met.len() > self.options.visits || level == self.options.depth {
                self.gave_up = true;
                break;
            }
            done = self.met.len();
            for node in here {
                self.look_behind(node, Some(level + 1))?;
            }
        }
        Ok(from)
    }

    /// Notes the edges that lead to a node, and gives those at their start a distance if there is one to give.
    fn look_behind(&mut self, node: NodeId, distance: Option<u32>) -> Result<(), E::Fault> {
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

    /// Walks forward from the starts, nearest first.
    fn forward(&mut self, from: Vec<NodeId>) -> Result<Vec<Way>, E::Fault> {
        let mut placed = Vec::with_capacity(from.len());
        for node in from {
            placed.push((self.graph.place(node)?, node));
        }
        placed.sort();
        let mut open = BinaryHeap::new();
        let mut ways: Vec<Way> = Vec::new();
        for (_, start) in placed {
            let estimate = self.distance[&start];
            open.push(Reverse((estimate, ways.len())));
            ways.push(Way { start, edges: Vec::new() });
        }
        let mut found = Vec::new();
        while let Some(Reverse((_, at))) = open.pop() {
            if found.len() >= self.options.paths || ways.len() > self.options.paths * TRIED {
                break;
            }
            let way = ways[at].clone();
            let end = way.edges.last().map_or(way.start, |edge| edge.target);
            if self.distance[&end] == 0 {
                found.push(way);
                continue;
            }
            for edge in self.sorted_onward(end)? {
                let known = way.start == edge.target || way.edges.iter().any(|one| one.target == edge.target);
                let length = way.edges.len() as u32 + 1 + self.distance[&edge.target];
                if known || length > self.options.depth {
                    continue;
                }
                let mut longer = way.clone();
                longer.edges.push(edge);
                open.push(Reverse((length, ways.len())));
                ways.push(longer);
            }
        }
        Ok(found)
    }

    fn sorted_onward(&self, node: NodeId) -> Result<Vec<EdgeRow>, E::Fault> {
        let Some(edges) = self.onward.get(&node) else { return Ok(Vec::new()) };
        let mut placed = Vec::with_capacity(edges.len());
        for &edge in edges {
            placed.push((self.graph.place(edge.target)?, edge.line, edge));
        }
        placed.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        Ok(placed.into_iter().map(|(_, _, edge)| edge).collect())
    }
}

impl<F> Starts<'_, F> {
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

/// The surest edge first, then the first in the file.
fn rank(edge: &EdgeRow) -> impl Ord + use<> {
    (edge.confidence, edge.line, edge.kind, edge.rule)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::traversal::Dispatching;
    use crate::query::traversal::test_graph::Sketch;
    use proptest::prelude::*;

    /// The ways found, as `a b c | a d c`, and how the search went.
    fn ways(text: &str, from: &str, to: &str, paths: usize) -> (String, Ways) {
        let graph = Dispatching(Sketch::new(text));
        let options = WayOptions { paths, depth: 9, visits: 99, follow: &|_| true, enter: &|_| Ok(true) };
        let any = |node| Ok(graph.0.name(node).starts_with("main"));
        let these = [graph.0.node(if from.is_empty() { to } else { from })];
        let starts = if from.is_empty() { Starts::Any(&any, 2) } else { Starts::These(&these) };
        let found = shortest(&graph, &starts, &[graph.0.node(to)], &options).expect("there");
        let show = |path: &Way| {
            let rest = path.edges.iter().map(|edge| format!(" {}", graph.0.name(edge.target)));
            format!("{}{}", graph.0.name(path.start), rest.collect::<String>())
        };
        (found.found.iter().map(show).collect::<Vec<_>>().join(" | "), found)
    }

    #[test]
    fn the_shortest_come_first_and_then_in_order() {
        let text = "a calls c; a calls b; b calls d; c calls d; a calls e; e calls b; d calls a";
        assert_eq!(ways(text, "a", "d", 1).0, "a b d");
        assert_eq!(ways(text, "a", "d", 9).0, "a b d | a c d | a e b d");
    }

    #[test]
    fn a_way_goes_through_what_a_call_may_reach() {
        let text = "main calls shape.area; circle.area overrides shape.area; circle.area calls sqrt";
        assert_eq!(ways(text, "main", "sqrt", 3).0, "main shape.area circle.area sqrt");
    }

    #[test]
    fn without_a_start_the_nearest_entries_are_found() {
        let text = "main1 calls a; main2 calls b; b calls a; a calls x; main3 calls c; c calls b";
        assert_eq!(ways(text, "", "x", 9).0, "main1 a x | main2 b a x");
    }

    #[test]
    fn where_there_is_no_way_all_that_leads_to_the_end_is_known() {
        let (found, paths) = ways("a calls b; c calls d; d calls e", "a", "e", 3);
        assert_eq!((found.as_str(), paths.behind.len(), paths.gave_up), ("", 3, false));
    }

    #[test]
    fn a_node_is_its_own_shortest_way() {
        assert_eq!(ways("a calls b; b calls a", "a", "a", 3).0, "a");
    }

    proptest! {
        #[test]
        fn ways_are_whole_simple_and_the_first_is_a_shortest(
            pairs in prop::collection::vec((0..8_u8, 0..8_u8), 1..24),
        ) {
            let name = |node: u8| char::from(b'a' + node);
            let edges: Vec<String> =
                pairs.iter().map(|&(from, to)| format!("{} calls {}", name(from), name(to))).collect();
            let (from, to) = (pairs[0].0, pairs[pairs.len() - 1].1);
            let shown = [name(from).to_string(), name(to).to_string()];
            let (_, paths) = ways(&edges.join(";"), &shown[0], &shown[1], 4);
            prop_assert_eq!(paths.found.first().map(|path| path.edges.len()), distance(&pairs, from, to));
            prop_assert!(paths.found.is_sorted_by_key(|path| path.edges.len()));
            for path in &paths.found {
                let mut nodes = vec![path.start];
                for edge in &path.edges {
                    prop_assert_eq!(Some(&edge.source), nodes.last());
                    prop_assert!(!nodes.contains(&edge.target), "a way comes nowhere twice");
                    nodes.push(edge.target);
                }
            }
        }
    }

    /// How many edges are between two nodes, by trying all of them again and again.
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
