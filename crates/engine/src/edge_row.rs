//! Stand-in until the store has these.
#![allow(missing_docs)]
use orient_model::{Confidence, EdgeKind, Rule};
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub i64);
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeRow {
    pub source: NodeId,
    pub kind: EdgeKind,
    pub target: NodeId,
    pub line: u32,
    pub confidence: Confidence,
    pub rule: Rule,
}
