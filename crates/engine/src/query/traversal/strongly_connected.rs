//! Strongly connected components (SCCs): sets of nodes that all reach each other.

use super::CsrGraph;

/// The SCCs of at least two nodes, each sorted, ordered by their first node.
///
/// Tarjan's algorithm with an explicit stack, because a chain of imports can be longer than a thread's call stack
/// allows. Example: 0→1→2→0, 2→3: the search numbers the nodes 0, 1, 2; the edge 2→0 lowers `low` of 2, 1 and 0 to 0,
/// so leaving 0 pops {2, 1, 0} as one component; 3 is alone and is not reported.
pub fn cyclic_components(graph: &CsrGraph) -> Vec<Vec<u32>> {
    let mut search = Tarjan {
        graph,
        order: vec![UNSEEN; graph.nodes()],
        low: vec![0; graph.nodes()],
        on_stack: vec![false; graph.nodes()],
        stack: Vec::new(),
        next: 0,
        found: Vec::new(),
    };
    for node in 0..graph.nodes() as u32 {
        if search.order[node as usize] == UNSEEN {
            search.visit(node);
        }
    }
    search.found.sort();
    search.found
}

const UNSEEN: u32 = u32::MAX;

struct Tarjan<'g> {
    graph: &'g CsrGraph,
    order: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<u32>,
    next: u32,
    found: Vec<Vec<u32>>,
}

impl Tarjan<'_> {
    fn visit(&mut self, start: u32) {
        let mut calls = vec![(start, 0)];
        self.enter(start);
        while let Some((node, at)) = calls.last_mut() {
            let (node, here) = (*node as usize, *at);
            if let Some(&target) = self.graph.targets(node as u32).get(here) {
                *at += 1;
                if self.order[target as usize] == UNSEEN {
                    self.enter(target);
                    calls.push((target, 0));
                } else if self.on_stack[target as usize] {
                    self.low[node] = self.low[node].min(self.order[target as usize]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                self.low[parent as usize] = self.low[parent as usize].min(self.low[node]);
            }
            if self.low[node] == self.order[node] {
                self.leave(node as u32);
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.order[node as usize] = self.next;
        self.low[node as usize] = self.next;
        self.next += 1;
        self.stack.push(node);
        self.on_stack[node as usize] = true;
    }

    fn leave(&mut self, root: u32) {
        let mut component = Vec::new();
        while let Some(node) = self.stack.pop() {
            self.on_stack[node as usize] = false;
            component.push(node);
            if node == root {
                break;
            }
        }
        if component.len() > 1 {
            component.sort_unstable();
            self.found.push(component);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn separate_components_are_found() {
        let graph = CsrGraph::new(7, vec![(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 5), (5, 6)]);
        assert_eq!(cyclic_components(&graph), [vec![0, 1, 2], vec![3, 4]]);
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let edges = (0..200_000).map(|node| (node, node + 1)).chain([(200_000, 0)]).collect();
        assert_eq!(cyclic_components(&CsrGraph::new(200_001, edges))[0].len(), 200_001);
    }

    proptest! {
        #[test]
        fn two_nodes_share_a_component_if_each_reaches_the_other(
            edges in prop::collection::vec((0..9_u32, 0..9_u32), 0..24),
        ) {
            let graph = CsrGraph::new(9, edges);
            let found = cyclic_components(&graph);
            let reached: Vec<Vec<bool>> = (0..9).map(|node| graph.reached([node])).collect();
            for a in 0..9_u32 {
                for b in 0..9_u32 {
                    let both = reached[a as usize][b as usize] && reached[b as usize][a as usize];
                    let together = found.iter().any(|component| component.contains(&a) && component.contains(&b));
                    prop_assert_eq!(together, both && (a != b || together));
                }
            }
        }
    }
}
