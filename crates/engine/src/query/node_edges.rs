//! Graph queries about one node: incoming and outgoing edges, and what the node is.

use crate::{Definition, EngineError, Snapshot};
use orient_store::{EdgeRow, FileGraph, FileId, FileRow, NodeId};
use std::sync::Arc;

/// Maximum number of file graphs that a snapshot caches.
const MAX_CACHED_GRAPHS: usize = 1024;

/// What a node of the graph is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeInfo {
    /// A symbol.
    Symbol(Box<Definition>),
    /// A file with its top-level code.
    File(Box<FileRow>),
}

impl Snapshot {
    /// The edges that lead to a node, by source, kind and line.
    pub fn incoming(&self, node: NodeId) -> Result<Vec<EdgeRow>, EngineError> {
        let mut edges = self.store.reader().incoming(node)?;
        edges.retain(|edge| self.holds(edge));
        Ok(edges)
    }

    /// The edges that start at a node, by kind and line.
    pub fn outgoing(&self, node: NodeId) -> Result<Vec<EdgeRow>, EngineError> {
        let reader = self.store.reader();
        let Some(file) = reader.file_of(node)? else { return Ok(Vec::new()) };
        let mut edges = self.file_graph(file)?.from(node).to_vec();
        let own = edges.len();
        let same = |a: &EdgeRow, b: &EdgeRow| (a.kind, a.line, a.target) == (b.kind, b.line, b.target);
        for edge in reader.foreign_edges_from(node)? {
            if !edges[..own].iter().any(|known| same(known, &edge)) {
                edges.push(edge);
            }
        }
        edges.retain(|edge| self.holds(edge));
        if edges.len() > own {
            edges.sort_unstable_by_key(|edge| (edge.kind, edge.line, edge.target));
        }
        Ok(edges)
    }

    /// The resolution result of a file.
    pub fn file_graph(&self, file: FileId) -> Result<Arc<FileGraph>, EngineError> {
        if let Some(graph) = self.graphs.borrow().get(&file) {
            return Ok(Arc::clone(graph));
        }
        let mut graph = self.store.reader().graph(file)?;
        if self.store.owed() > 0 {
            graph.own = graph.edges[..graph.own].iter().filter(|edge| self.holds(edge)).count();
            graph.edges.retain(|edge| self.holds(edge));
            graph.external.retain(|one| self.is_there(one.source));
            graph.unresolved.retain(|one| self.is_there(one.source));
        }
        let graph = Arc::new(graph);
        let mut graphs = self.graphs.borrow_mut();
        if graphs.len() >= MAX_CACHED_GRAPHS {
            graphs.clear();
        }
        graphs.insert(file, Arc::clone(&graph));
        Ok(graph)
    }

    /// Whether both ends of an edge exist: owed files may still have edges to deleted symbols.
    pub(super) fn holds(&self, edge: &EdgeRow) -> bool {
        self.store.owed() == 0 || (self.is_there(edge.source) && self.is_there(edge.target))
    }

    fn is_there(&self, node: NodeId) -> bool {
        self.store.reader().file_of(node).is_ok_and(|file| file.is_some())
    }

    /// The files whose resolution depends on a name; they include all uses of symbols with that name.
    pub fn files_depending_on(&self, name: &str) -> Result<Vec<FileId>, EngineError> {
        Ok(self.store.reader().dependents_of_name(name)?)
    }

    /// What a node is; `None` if it no longer exists.
    pub fn node(&self, node: NodeId) -> Result<Option<NodeInfo>, EngineError> {
        if let Some(file) = node.file() {
            return Ok(self.store.file_by_id(file)?.map(|file| NodeInfo::File(Box::new(file))));
        }
        let Some(symbol) = node.symbol() else { return Ok(None) };
        let row = self.store.symbol(symbol)?;
        let mut definitions = self.define(row)?;
        Ok(definitions.pop().map(|definition| NodeInfo::Symbol(Box::new(definition))))
    }
}
