//! How central nodes are: one that is used by central ones is central itself.

use super::Compact;

/// How many times weight is passed on; the order of the first hundreds is settled long before.
const ROUNDS: usize = 30;
/// The share of a node's weight that goes along its edges.
const PASSED: f64 = 0.85;

/// The weight of every node (`PageRank`); all of them together weigh 1. The sums are taken in the order of the nodes, so
/// the same graph gives the same figures on every machine.
pub fn rank(graph: &Compact) -> Vec<f64> {
    let nodes = graph.nodes();
    if nodes == 0 {
        return Vec::new();
    }
    let even = 1.0 / count(nodes);
    let mut weights = vec![even; nodes];
    for _ in 0..ROUNDS {
        let mut next = vec![0.0; nodes];
        let mut kept = 0.0;
        for (node, &weight) in weights.iter().enumerate() {
            let targets = graph.targets(node as u32);
            if targets.is_empty() {
                kept += weight;
                continue;
            }
            let share = PASSED * weight / count(targets.len());
            for &target in targets {
                next[target as usize] += share;
            }
        }
        let base = (1.0 - PASSED + PASSED * kept) * even;
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
    fn what_many_use_weighs_most_and_nothing_is_lost() {
        let graph = Compact::new(5, vec![(0, 3), (1, 3), (2, 3), (3, 4)]);
        let weights = rank(&graph);
        assert!(weights[4] > weights[3] && weights[3] > weights[0], "{weights:?}");
        let even = rank(&Compact::new(3, vec![(0, 1), (1, 2), (2, 0)]));
        assert!(even.iter().all(|weight| (weight - 1.0 / 3.0).abs() < 1e-9), "{even:?}");
        assert!((even.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(rank(&Compact::default()).is_empty());
    }
}
