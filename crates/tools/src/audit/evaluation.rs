//! Precision and recall of the call graph against a ground truth.

use super::ground_truth::{GroundTruth, Pair};
use std::collections::{BTreeMap, BTreeSet};

/// The most confident edge of a caller–callee pair.
#[derive(Clone, Debug)]
pub(crate) struct FoundEdge {
    pub(crate) confidence: &'static str,
    pub(crate) rule: &'static str,
    pub(crate) kind: &'static str,
    /// Whether it is a call. Other uses count only if the ground truth does not distinguish them.
    pub(crate) calls: bool,
    /// The line of the use.
    pub(crate) line: u32,
}

/// Counts of one group of edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EdgeCounts {
    pub(crate) right: u64,
    pub(crate) wrong: u64,
}

/// The result.
#[derive(Debug, Default)]
pub(crate) struct Evaluation {
    pub(crate) all: EdgeCounts,
    /// Correct pairs of a kind that the ground truth does not require.
    pub(crate) other_kinds: u64,
    pub(crate) required: u64,
    pub(crate) found: u64,
    pub(crate) by_confidence: BTreeMap<&'static str, EdgeCounts>,
    pub(crate) by_rule: BTreeMap<&'static str, EdgeCounts>,
    pub(crate) by_kind: BTreeMap<&'static str, EdgeCounts>,
    /// Number of required pairs found with edges of each confidence.
    pub(crate) found_by_confidence: BTreeMap<&'static str, u64>,
    pub(crate) wrong: Vec<(Pair, FoundEdge)>,
    pub(crate) missing: Vec<Pair>,
}

/// Evaluates our pairs.
pub(crate) fn evaluate(truth: &GroundTruth, ours: &BTreeMap<Pair, FoundEdge>) -> Evaluation {
    let mut evaluation = Evaluation { required: truth.required.len() as u64, ..Evaluation::default() };
    let mut found: BTreeMap<&Pair, BTreeSet<&'static str>> = BTreeMap::new();
    for (pair, edge) in ours.iter().filter(|((caller, _), _)| truth.files.contains(&caller.0)) {
        let hits = truth.accepted.get(pair);
        let required: Vec<&Pair> = hits.into_iter().flatten().flatten().collect();
        for &key in &required {
            found.entry(key).or_default().insert(edge.confidence);
        }
        if !edge.calls {
            continue;
        }
        if required.is_empty() && hits.is_some() && !truth.any_use {
            evaluation.other_kinds += 1;
            continue;
        }
        let right = hits.is_some();
        evaluation.all.add(right);
        evaluation.by_confidence.entry(edge.confidence).or_default().add(right);
        evaluation.by_rule.entry(edge.rule).or_default().add(right);
        evaluation.by_kind.entry(edge.kind).or_default().add(right);
        if !right {
            evaluation.wrong.push((pair.clone(), edge.clone()));
        }
    }
    for key in &truth.required {
        match found.get(key) {
            Some(confidences) => {
                evaluation.found += 1;
                for confidence in confidences {
                    *evaluation.found_by_confidence.entry(confidence).or_default() += 1;
                }
            }
            None => evaluation.missing.push(key.clone()),
        }
    }
    evaluation
}

impl EdgeCounts {
    fn add(&mut self, right: bool) {
        if right { self.right += 1 } else { self.wrong += 1 }
    }

    /// The share of correct edges; `None` if there are none.
    pub(crate) fn precision(self) -> Option<f64> {
        share(self.right, self.right + self.wrong)
    }
}

/// A ratio; `None` if the denominator is 0.
#[expect(clippy::cast_precision_loss, reason = "numbers of edges are far below 2^52")]
pub(crate) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_right_wrong_of_another_kind_or_missing() {
        let place = |path: &str, line| (path.to_owned(), line);
        let (a, b, twin, c, d) =
            (place("a", 1), place("b", 2), place("b.h", 9), place("c", 3), place("d", 4));
        let mut truth = GroundTruth::default();
        truth.files.insert("a".to_owned());
        let caller = std::slice::from_ref(&a);
        truth.add(caller, &[b, twin.clone()], true);
        truth.add(caller, std::slice::from_ref(&c), false);
        truth.add(caller, &[place("lost", 1)], true);
        let edge = |confidence, calls| FoundEdge { confidence, rule: "scope", kind: "calls", calls, line: 5 };
        let ours = BTreeMap::from([
            ((a.clone(), twin), edge("exact", true)),
            ((a.clone(), c), edge("exact", true)),
            ((a.clone(), d.clone()), edge("probable", true)),
            ((d, a), edge("exact", true)),
        ]);
        let evaluation = evaluate(&truth, &ours);
        assert_eq!(evaluation.all, EdgeCounts { right: 1, wrong: 1 });
        assert_eq!((evaluation.other_kinds, evaluation.required, evaluation.found), (1, 2, 1));
        assert_eq!(evaluation.by_confidence["probable"], EdgeCounts { right: 0, wrong: 1 });
        assert_eq!((evaluation.wrong.len(), evaluation.missing.len()), (1, 1));
        assert_eq!(evaluation.all.precision(), Some(0.5));
    }
}
