//! Stand-in until the store has these.
#![allow(missing_docs, clippy::unused_self, clippy::unnecessary_wraps)]
use crate::{EngineError, FileId, Snapshot, SymbolId};
use orient_model::{Confidence, EdgeKind, Reason, RefKind, Rule};
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(i64);
impl NodeId {
    pub fn symbol(self) -> Option<SymbolId> {
        (self.0 > 0).then_some(SymbolId(self.0))
    }
    pub fn file(self) -> Option<FileId> {
        (self.0 < 0).then_some(FileId(-self.0))
    }
}
impl From<SymbolId> for NodeId {
    fn from(id: SymbolId) -> Self {
        Self(id.0)
    }
}
impl From<FileId> for NodeId {
    fn from(id: FileId) -> Self {
        Self(-id.0)
    }
}
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeRow {
    pub source: NodeId,
    pub kind: EdgeKind,
    pub target: NodeId,
    pub line: u32,
    pub confidence: Confidence,
    pub rule: Rule,
}
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutsideRow {
    pub source: NodeId,
    pub kind: RefKind,
    pub package: String,
    pub name: String,
    pub line: u32,
}
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MissRow {
    pub source: NodeId,
    pub kind: RefKind,
    pub name: String,
    pub line: u32,
    pub reason: Reason,
}
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileGraph {
    pub edges: Vec<EdgeRow>,
    pub own: usize,
    pub outside: Vec<OutsideRow>,
    pub misses: Vec<MissRow>,
    pub failed: bool,
}
impl FileGraph {
    pub fn from(&self, source: NodeId) -> &[EdgeRow] {
        let own = &self.edges[..self.own];
        let start = own.partition_point(|edge| edge.source < source);
        let count = own[start..].partition_point(|edge| edge.source == source);
        &own[start..start + count]
    }
}
impl Snapshot {
    pub fn incoming(&self, _node: NodeId) -> Result<Vec<EdgeRow>, EngineError> {
        Ok(Vec::new())
    }
    pub fn outgoing(&self, _node: NodeId) -> Result<Vec<EdgeRow>, EngineError> {
        Ok(Vec::new())
    }
    pub fn file_graph(&self, _file: FileId) -> Result<FileGraph, EngineError> {
        Ok(FileGraph::default())
    }
    pub fn asking(&self, _name: &str) -> Result<Vec<FileId>, EngineError> {
        Ok(Vec::new())
    }
}
