//! The graph as plain values.

use crate::rows::{FileId, SymbolId};
use crate::sql::adjacency_lists::row_key;
use orient_model::{Confidence, EdgeKind, Reason, RefKind, Rule};

/// A node of the graph: a symbol, or a file with its top-level code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) i64);

impl NodeId {
    /// The symbol, if the node is one.
    pub fn symbol(self) -> Option<SymbolId> {
        (self.0 > 0).then_some(SymbolId(self.0))
    }

    /// The file, if the node is one.
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
    /// The source.
    pub source: NodeId,
    /// Its kind.
    pub kind: EdgeKind,
    /// The target.
    pub target: NodeId,
    /// The line of the evidence, in the file of `source`.
    pub line: u32,
    /// Its confidence.
    pub confidence: Confidence,
    /// The rule that proved it.
    pub rule: Rule,
}

/// An external reference: a use of something outside the repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExternalRow {
    /// The innermost symbol that contains it, or the file.
    pub source: NodeId,
    /// The kind of reference.
    pub kind: RefKind,
    /// The package or module as the source names it; empty for built-ins of the language.
    pub package: String,
    /// The name in that package.
    pub name: String,
    /// Its line.
    pub line: u32,
}

/// An unresolved reference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnresolvedRow {
    /// The innermost symbol that contains it, or the file.
    pub source: NodeId,
    /// The kind of reference.
    pub kind: RefKind,
    /// The last name of the reference.
    pub name: String,
    /// Its line.
    pub line: u32,
    /// Why it was not resolved.
    pub reason: Reason,
}

/// The references of a file to one name that lead to no symbol of the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnlinkedReferences {
    /// Those that were not resolved, by source.
    pub unresolved: Vec<UnresolvedRow>,
    /// The sources and kinds of those that lead out of the repository.
    pub external: Vec<(NodeId, RefKind)>,
}

/// The graph of one file: the result of resolving it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileGraph {
    /// First the edges that start in this file, by source, kind, line and target; then the foreign edges, which start in
    /// other files, in the same order. No two differ only in their evidence.
    pub edges: Vec<EdgeRow>,
    /// The number of edges that start in this file.
    pub own: usize,
    /// External references, by source.
    pub external: Vec<ExternalRow>,
    /// Unresolved references, by source.
    pub unresolved: Vec<UnresolvedRow>,
    /// The resolver failed on this file, so that the graph is incomplete. A bug.
    pub failed: bool,
}

impl FileGraph {
    /// The edges from a node of this file.
    pub fn from(&self, source: NodeId) -> &[EdgeRow] {
        let own = &self.edges[..self.own];
        let start = own.partition_point(|edge| edge.source < source);
        let count = own[start..].partition_point(|edge| edge.source == source);
        &own[start..start + count]
    }

    /// Whether it is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.edges.is_empty() && self.external.is_empty() && self.unresolved.is_empty() && !self.failed
    }

    /// The edges as rows, if this is the graph of `file`.
    pub(crate) fn rows(&self, file: FileId) -> Vec<StoredEdge> {
        let row =
            |(at, edge): (usize, &EdgeRow)| StoredEdge::new(edge, if at < self.own { 0 } else { file.0 });
        self.edges.iter().enumerate().map(row).collect()
    }
}

/// An edge as stored in the table of edges.
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

    /// The key of its row.
    pub(crate) fn row_key(&self) -> i64 {
        row_key(self.target, self.source)
    }

    /// What identifies an edge, whatever its evidence. Edges are sorted by this.
    pub(crate) fn key(&self) -> (i64, i64, u8, u32, i64) {
        (self.row_key(), self.source, self.kind, self.line, self.owner)
    }

    /// `None` if a number is unknown: the file is damaged.
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

/// The evidence of an edge as one number.
pub(crate) fn proof(edge: &EdgeRow) -> u8 {
    edge.rule as u8 * 4 + edge.confidence as u8
}

/// The inverse of [`proof`].
pub(crate) fn parts(proof: u8) -> Option<(Confidence, Rule)> {
    Some((Confidence::from_number(proof & 3)?, Rule::from_number(proof >> 2)?))
}
