//! The graph against a truth from elsewhere: what a compiler says, read from a file.

mod evaluation;
mod ground_truth;
mod scip_index;

pub(crate) use evaluation::{EdgeCounts, Evaluation, FoundEdge, evaluate, share};
pub(crate) use ground_truth::{GroundTruth, Pair, Place};
