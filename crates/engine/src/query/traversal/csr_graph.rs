//! A graph in compressed sparse row (CSR) form, for algorithms that visit every edge several times.
//!
//! Example: the edges 0→1, 0→3, 2→1 of four nodes are `first = [0, 2, 2, 3, 3]` and `targets = [1, 3, 1]`: the
//! targets of node 0 are `targets[0..2]`.

/// A graph of nodes numbered from 0, with edges sorted by source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsrGraph {
    /// The index of each node's first edge in `targets`; one more entry than there are nodes.
    first: Vec<u32>,
    targets: Vec<u32>,
}

impl CsrGraph {
    /// The graph of these edges; parallel edges are merged.
    pub fn new(nodes: usize, mut edges: Vec<(u32, u32)>) -> Self {
        edges.retain(|&(from, to)| (from as usize) < nodes && (to as usize) < nodes);
        edges.sort_unstable();
        edges.dedup();
        let mut first = vec![0; nodes + 1];
        for &(from, _) in &edges {
            first[from as usize + 1] += 1;
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        Self { first, targets: edges.into_iter().map(|(_, to)| to).collect() }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// The targets of a node's edges, sorted.
    pub fn targets(&self, node: u32) -> &[u32] {
        let range = self.first[node as usize] as usize..self.first[node as usize + 1] as usize;
        &self.targets[range]
    }

    /// The number of incoming edges of each node.
    pub fn sources(&self) -> Vec<u32> {
        let mut counts = vec![0; self.nodes()];
        for &target in &self.targets {
            counts[target as usize] += 1;
        }
        counts
    }

    /// Which nodes can be reached from the starts, including the starts.
    pub fn reached(&self, starts: impl IntoIterator<Item = u32>) -> Vec<bool> {
        let mut seen = vec![false; self.nodes()];
        let mut open: Vec<u32> = starts.into_iter().collect();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                open.extend_from_slice(self.targets(node));
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_deduplicated_and_sorted() {
        let graph = CsrGraph::new(4, vec![(2, 1), (0, 3), (0, 1), (0, 1), (9, 0)]);
        assert_eq!((graph.targets(0), graph.targets(1), graph.targets(2)), (&[1, 3][..], &[][..], &[1][..]));
        assert_eq!(graph.sources(), [0, 2, 0, 1]);
        assert_eq!(graph.reached([2]), [false, true, true, false]);
        assert_eq!(CsrGraph::default().nodes(), 0);
    }
}
