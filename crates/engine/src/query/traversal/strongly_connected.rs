//! Circles: sets of nodes that all lead to each other.

use super::Compact;

/// The circles of a graph: each at least two nodes, sorted; the circles by their first node.
///
/// Tarjan's algorithm with a stack of its own, since a chain of imports can be longer than the stack of a thread.
pub fn cycles(graph: &Compact) -> Vec<Vec<u32>> {
    let mut search = Search {
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

struct Search<'g> {
    graph: &'g Compact,
    order: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<u32>,
    next: u32,
    found: Vec<Vec<u32>>,
}

impl Search<'_> {
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
        let mut circle = Vec::new();
        while let Some(node) = self.stack.pop() {
            self.on_stack[node as usize] = false;
            circle.push(node);
            if node == root {
                break;
            }
        }
        if circle.len() > 1 {
            circle.sort_unstable();
            self.found.push(circle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn circles_are_found_apart_from_each_other() {
        let graph = Compact::new(7, vec![(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 5), (5, 6)]);
        assert_eq!(cycles(&graph), [vec![0, 1, 2], vec![3, 4]]);
    }

    #[test]
    fn a_long_chain_is_no_danger() {
        let edges = (0..200_000).map(|node| (node, node + 1)).chain([(200_000, 0)]).collect();
        assert_eq!(cycles(&Compact::new(200_001, edges))[0].len(), 200_001);
    }

    proptest! {
        #[test]
        fn two_nodes_share_a_circle_when_each_reaches_the_other(
            edges in prop::collection::vec((0..9_u32, 0..9_u32), 0..24),
        ) {
            let graph = Compact::new(9, edges);
            let found = cycles(&graph);
            let reached: Vec<Vec<bool>> = (0..9).map(|node| graph.reached([node])).collect();
            for a in 0..9_u32 {
                for b in 0..9_u32 {
                    let both = reached[a as usize][b as usize] && reached[b as usize][a as usize];
                    let together = found.iter().any(|circle| circle.contains(&a) && circle.contains(&b));
                    prop_assert_eq!(together, both && (a != b || together));
                }
            }
        }
    }
}
