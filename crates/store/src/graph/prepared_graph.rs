//! What resolving a file gave, ready to be written: ids in place of numbers, and the bytes that are kept.

use super::rows::{EdgeRow, FileGraph, MissRow, NodeId, OutsideRow};
use crate::codec::{self, Encoded, id_list};
use crate::rows::FileId;
use orient_model::{Node, Resolved};

/// What resolving a file gave, ready to be written. Made on the threads that resolve.
#[derive(Clone, Debug)]
pub struct PreparedGraph {
    pub(crate) file: FileId,
    pub(crate) graph: FileGraph,
    /// Sorted, each once.
    pub(crate) asks: Vec<String>,
    /// The other files that were looked at, as they are kept.
    pub(crate) looked: Vec<u8>,
    /// None for a graph without anything.
    pub(crate) data: Option<Encoded>,
}

impl PreparedGraph {
    /// Prepares what resolving `file` gave; `id` says which node of the index the resolver means. A node that is none
    /// is a fault of the resolver: its edges are left out, and the graph says that it is not whole.
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
        // Of edges that differ in their proof alone, the surest is kept.
        edges.sort_unstable_by_key(|edge| (key(edge), edge.1.confidence, edge.1.rule));
        edges.dedup_by_key(|edge| key(edge));
        graph.own = edges.partition_point(|(elsewhere, _)| !elsewhere);
        graph.edges = edges.into_iter().map(|(_, row)| row).collect();
        let mut inside = |symbol| id(Node { file: number, symbol });
        for outside in &resolved.outside {
            let Some(source) = inside(outside.from) else {
                graph.failed = true;
                continue;
            };
            graph.outside.push(OutsideRow {
                source,
                kind: outside.kind,
                package: outside.package.clone(),
                name: outside.name.clone(),
                line: outside.line,
            });
        }
        for miss in &resolved.misses {
            let Some(source) = inside(miss.from) else {
                graph.failed = true;
                continue;
            };
            graph.misses.push(MissRow {
                source,
                kind: miss.kind,
                name: miss.name.clone(),
                line: miss.line,
                reason: miss.reason,
            });
        }
        graph.outside.sort();
        graph.misses.sort();
        let mut asks = resolved.asks.clone();
        asks.sort_unstable();
        asks.dedup();
        let looked: Vec<i64> = resolved.looked.iter().copied().map(i64::from).collect();
        Self::of(file, graph, asks, id_list::encode(&looked))
    }

    /// The graph of a file on which the resolver failed. It asks for the empty name: whoever catches up tries those
    /// files again whatever changed.
    pub fn failed(file: FileId) -> Self {
        Self::of(file, FileGraph { failed: true, ..FileGraph::default() }, vec![String::new()], Vec::new())
    }

    fn of(file: FileId, graph: FileGraph, asks: Vec<String>, looked: Vec<u8>) -> Self {
        let data = (!graph.is_empty() || !asks.is_empty()).then(|| codec::encode_graph(&graph));
        Self { file, graph, asks, looked, data }
    }

    /// Whether the resolver failed, in whole or in part.
    pub fn is_failed(&self) -> bool {
        self.graph.failed
    }

    /// How many bytes it holds on to.
    pub fn bytes(&self) -> usize {
        let texts = self.asks.iter().map(|name| name.len() + 24).sum::<usize>();
        let rows = self.graph.edges.len() * size_of::<EdgeRow>()
            + self.graph.outside.len() * (size_of::<OutsideRow>() + 32)
            + self.graph.misses.len() * (size_of::<MissRow>() + 16);
        texts + rows + self.looked.len() + self.data.as_ref().map_or(0, |data| data.as_bytes().len())
    }
}
