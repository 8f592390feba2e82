//! Evaluation of the call graph: against a ground truth that a compiler produced, and against the call sites in the syntax trees.

mod evaluation;
mod ground_truth;
mod layer_changes;
mod scip_index;
mod site_audit;

pub(crate) use evaluation::{EdgeCounts, Evaluation, FoundEdge, evaluate, share};
pub(crate) use ground_truth::{GroundTruth, Location, Pair};
pub(crate) use layer_changes::LayerChanges;
pub(crate) use site_audit::SiteAudit;
