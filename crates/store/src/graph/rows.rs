//! The graph as plain values.

use crate::rows::{FileId, SymbolId};
use crate::sql::adjacency_lists::place;
use orient_model::{Confidence, EdgeKind, Reason, RefKind, Rule};

/// A node of the graph: a symbol, or a file as a whole with its top-level code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) i64);

impl NodeId {
    /// The symbol, if it is one.
    pub fn symbol(self) -> Option<SymbolId> {
        (self.0 > 0).then_some(SymbolId(self.0))
    }

    /// The file, if it is one.
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

/// An edge of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeRow {
    /// Where it starts.
    pub source: NodeId,
    /// What it is.
    pub kind: EdgeKind,
    /// Where it leads.
    pub target: NodeId,
    /// The line that shows it, in the file of `source`.
    pub line: u32,
    /// How sure we are.
    pub confidence: Confidence,
    /// How it was proven.
    pub rule: Rule,
}

/// A use that leads out of the repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutsideRow {
    /// The innermost symbol around it, or the file.
    pub source: NodeId,
    /// What is done.
    pub kind: RefKind,
    /// The package or module as the source names it; empty for what the language itself provides.
    pub package: String,
    /// Its name in there.
    pub name: String,
    /// Its line.
    pub line: u32,
}

/// A use that was not resolved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MissRow {
    /// The innermost symbol around it, or the file.
    pub source: NodeId,
    /// What is done.
    pub kind: RefKind,
    /// The last name of what is used.
    pub name: String,
    /// Its line.
    pub line: u32,
    /// Why.
    pub reason: Reason,
}

/// All that resolving one file gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileGraph {
    /// Edges: first those that start in this file, by source, kind, line and target; then those it gave rise to
    /// elsewhere, in the same order. No two differ in their proof alone.
    pub edges: Vec<EdgeRow>,
    /// How many of the edges start in this file.
    pub own: usize,
    /// Uses that lead outside, by source.
    pub outside: Vec<OutsideRow>,
    /// Uses that were not resolved, by source.
    pub misses: Vec<MissRow>,
    /// The resolver failed on this file, a fault of ours: what is above is not all.
    pub failed: bool,
}

impl FileGraph {
    /// The edges of this file that start at a node of it.
    pub fn from(&self, source: NodeId) -> &[EdgeRow] {
        let own = &self.edges[..self.own];
        let start = own.partition_point(|edge| edge.source < source);
        let count = own[start..].partition_point(|edge| edge.source == source);
        &own[start..start + count]
    }

    /// Whether resolving gave nothing at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.edges.is_empty() && self.outside.is_empty() && self.misses.is_empty() && !self.failed
    }

    /// The rows of the edges, when the graph is that of a file.
    pub(crate) fn rows(&self, file: FileId) -> Vec<StoredEdge> {
        let row =
            |(at, edge): (usize, &EdgeRow)| StoredEdge::new(edge, if at < self.own { 0 } else { file.0 });
        self.edges.iter().enumerate().map(row).collect()
    }
}

/// An edge as the table of edges has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoredEdge {
    pub(crate) target: i64,
    pub(crate) source: i64,
    pub(crate) kind: u8,
    pub(crate) line: u32,
    pub(crate) owner: i64,
    pub(crate) proof: u8,
}

impl StoredEdge {
    pub(crate) fn new(edge: &EdgeRow, owner: i64) -> Self {
        Self {
            target: edge.target.0,
            source: edge.source.0,
            kind: edge.kind as u8,
            line: edge.line,
            owner,
            proof: proof(edge),
        }
    }

    /// The key of the row it stands in.
    pub(crate) fn place(&self) -> i64 {
        place(self.target, self.source)
    }

    /// What makes it the same edge, however it was proven; edges are ordered by this.
    pub(crate) fn key(&self) -> (i64, i64, u8, u32, i64) {
        (self.place(), self.source, self.kind, self.line, self.owner)
    }

    /// None where a number is none of our lists: the file is damaged.
    pub(crate) fn row(&self) -> Option<EdgeRow> {
        let (confidence, rule) = parts(self.proof)?;
        Some(EdgeRow {
            source: NodeId(self.source),
            kind: EdgeKind::from_number(self.kind)?,
            target: NodeId(self.target),
            line: self.line,
            confidence,
            rule,
        })
    }
}

/// How an edge was proven, as one number.
pub(crate) fn proof(edge: &EdgeRow) -> u8 {
    edge.rule as u8 * 4 + edge.confidence as u8
}

/// What [`proof`] was made of.
pub(crate) fn parts(proof: u8) -> Option<(Confidence, Rule)> {
    Some((Confidence::from_number(proof & 3)?, Rule::from_number(proof >> 2)?))
}
