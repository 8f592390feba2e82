//! Prepares the graph of a file for writing: node ids of the index, and the encoded bytes.

use super::rows::{EdgeRow, ExternalRow, FileGraph, NodeId, UnresolvedRow};
use crate::codec::{self, Encoded, id_list};
use crate::rows::FileId;
use orient_model::{Node, Resolved, Surface};

/// The graph of a file, ready to be written. The resolving threads prepare it.
#[derive(Clone, Debug)]
pub struct PreparedGraph {
    pub(crate) file: FileId,
    pub(crate) graph: FileGraph,
    /// Sorted and distinct.
    pub(crate) names: Vec<String>,
    /// The encoded file dependencies.
    pub(crate) files: Vec<u8>,
    /// `None` for an empty graph.
    pub(crate) data: Option<Encoded>,
    /// What the file says about the surface, encoded; empty for most files.
    pub(crate) surface: Vec<u8>,
    /// Whether the file must be resolved again at the next opportunity.
    pub(crate) owed: bool,
}

impl PreparedGraph {
    /// Prepares the resolution of `file`; `id` maps nodes of the resolver to nodes of the index. An unknown node is a bug of
    /// the resolver: its edges are dropped, and the graph is marked as incomplete.
    pub fn new(file: FileId, resolved: &Resolved, id: &mut dyn FnMut(Node) -> Option<NodeId>) -> Self {
        let number = u32::try_from(file.0).unwrap_or(u32::MAX);
        let mut graph = FileGraph::default();
        let mut edges = Vec::with_capacity(resolved.edges.len());
        for edge in &resolved.edges {
            let (Some(source), Some(target)) = (id(edge.from), id(edge.to)) else {
                graph.failed = true;
                continue;
            };
            let row = EdgeRow {
                source,
                kind: edge.kind,
                target,
                line: edge.line,
                confidence: edge.confidence,
                rule: edge.rule,
            };
            edges.push((edge.from.file != number, row));
        }
        let key =
            |(elsewhere, row): &(bool, EdgeRow)| (*elsewhere, row.source, row.kind, row.line, row.target);
        // Of edges that differ only in their evidence, keep the one with the highest confidence.
        edges.sort_unstable_by_key(|edge| (key(edge), edge.1.confidence, edge.1.rule));
        edges.dedup_by_key(|edge| key(edge));
        graph.own = edges.partition_point(|(elsewhere, _)| !elsewhere);
        graph.edges = edges.into_iter().map(|(_, row)| row).collect();
        let mut inside = |symbol| id(Node { file: number, symbol });
        for external in &resolved.external {
            let Some(source) = inside(external.from) else {
                graph.failed = true;
                continue;
            };
            graph.external.push(ExternalRow {
                source,
                kind: external.kind,
                package: external.package.clone(),
                name: external.name.clone(),
                line: external.line,
            });
        }
        for miss in &resolved.unresolved {
            let Some(source) = inside(miss.from) else {
                graph.failed = true;
                continue;
            };
            graph.unresolved.push(UnresolvedRow {
                source,
                kind: miss.kind,
                name: miss.name.clone(),
                line: miss.line,
                reason: miss.reason,
            });
        }
        graph.external.sort();
        graph.unresolved.sort();
        let mut names = resolved.name_dependencies.clone();
        names.sort_unstable();
        names.dedup();
        let files: Vec<i64> = resolved.file_dependencies.iter().copied().map(i64::from).collect();
        let surface = resolved.surface.map(&mut |node| id(node));
        Self::of(file, graph, names, id_list::encode(&files), &surface)
    }

    /// The graph of a file on which the resolver failed. It depends on the empty name, so every refresh tries the file
    /// again.
    pub fn failed(file: FileId) -> Self {
        let graph = FileGraph { failed: true, ..FileGraph::default() };
        Self::of(file, graph, vec![String::new()], Vec::new(), &Surface::default())
    }

    fn of(
        file: FileId,
        graph: FileGraph,
        names: Vec<String>,
        files: Vec<u8>,
        surface: &Surface<NodeId>,
    ) -> Self {
        let is_empty = graph.is_empty() && names.is_empty() && surface.is_empty();
        let data = (!is_empty).then(|| codec::encode_graph(&graph));
        let encoded = (!surface.is_empty()).then(|| codec::encode_surface(surface).as_bytes().to_vec());
        Self { file, graph, names, files, data, surface: encoded.unwrap_or_default(), owed: false }
    }

    /// The same graph of a file that remains owed: it was resolved without something that exists.
    #[must_use]
    pub fn still_owed(self) -> Self {
        Self { owed: true, ..self }
    }

    /// Whether the resolver failed, completely or partly.
    pub fn is_failed(&self) -> bool {
        self.graph.failed
    }

    /// Its memory in bytes.
    pub fn bytes(&self) -> usize {
        let texts = self.names.iter().map(|name| name.len() + 24).sum::<usize>();
        let rows = self.graph.edges.len() * size_of::<EdgeRow>()
            + self.graph.external.len() * (size_of::<ExternalRow>() + 32)
            + self.graph.unresolved.len() * (size_of::<UnresolvedRow>() + 16);
        texts
            + rows
            + self.files.len()
            + self.surface.len()
            + self.data.as_ref().map_or(0, |data| data.as_bytes().len())
    }
}
