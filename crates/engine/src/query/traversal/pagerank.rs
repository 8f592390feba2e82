//! `PageRank`: centrality of nodes. A node is central if central nodes use it.
//!
//! Example: in 0→2, 1→2 every node starts with 1/3. In each round, nodes 0 and 1 pass 85 % of their weight to 2; node
//! 2 has no edges, so its weight is spread evenly. Node 2 ends with the largest weight.

use super::CsrGraph;

/// Number of iterations; the order of the first few hundred nodes is stable long before.
const ITERATIONS: usize = 30;
/// The damping factor: the share of a node's weight that follows its edges.
const DAMPING: f64 = 0.85;

/// The weight of every node; the sum is 1. Sums are computed in node order, so results are the same on every machine.
pub fn pagerank(graph: &CsrGraph) -> Vec<f64> {
    let nodes = graph.nodes();
    if nodes == 0 {
        return Vec::new();
    }
    let even = 1.0 / count(nodes);
    let mut weights = vec![even; nodes];
    for _ in 0..ITERATIONS {
        let mut next = vec![0.0; nodes];
        let mut kept = 0.0;
        for (node, &weight) in weights.iter().enumerate() {
            let targets = graph.targets(node as u32);
            if targets.is_empty() {
                kept += weight;
                continue;
            }
            let share = DAMPING * weight / count(targets.len());
            for &target in targets {
                next[target as usize] += share;
            }
        }
        let base = (1.0 - DAMPING + DAMPING * kept) * even;
        for weight in &mut next {
            *weight += base;
        }
        weights = next;
    }
    weights
}

#[expect(clippy::cast_precision_loss, reason = "numbers of nodes are far below 2^52")]
fn count(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn popular_nodes_weigh_most_and_the_weights_sum_to_one() {
        let graph = CsrGraph::new(5, vec![(0, 3), (1, 3), (2, 3), (3, 4)]);
        let weights = pagerank(&graph);
        assert!(weights[4] > weights[3] && weights[3] > weights[0], "{weights:?}");
        let even = pagerank(&CsrGraph::new(3, vec![(0, 1), (1, 2), (2, 0)]));
        assert!(even.iter().all(|weight| (weight - 1.0 / 3.0).abs() < 1e-9), "{even:?}");
        assert!((even.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(pagerank(&CsrGraph::default()).is_empty());
    }
}
