//! Evaluation of the call graph against a ground truth that a compiler produced.

mod evaluation;
mod ground_truth;
mod scip_index;

pub(crate) use evaluation::{EdgeCounts, Evaluation, FoundEdge, evaluate, share};
pub(crate) use ground_truth::{GroundTruth, Location, Pair};
