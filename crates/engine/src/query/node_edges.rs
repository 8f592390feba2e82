//! Questions about the graph: what leads to a node, where it leads, and what a node is.

use crate::{Definition, EngineError, Snapshot};
use orient_store::{EdgeRow, FileGraph, FileId, FileRow, NodeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// How many files' graphs a snapshot remembers before it starts over.
const REMEMBERED: usize = 1024;

/// The graphs of files that were looked at.
pub(crate) type GraphCache = RefCell<HashMap<FileId, Arc<FileGraph>>>;

/// What a node of the graph is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeInfo {
    /// A symbol.
    Symbol(Box<Definition>),
    /// A file, with its top-level code.
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

    /// All that resolving a file gave.
    pub fn file_graph(&self, file: FileId) -> Result<Arc<FileGraph>, EngineError> {
        if let Some(graph) = self.graphs.borrow().get(&file) {
            return Ok(Arc::clone(graph));
        }
        let mut graph = self.store.reader().graph(file)?;
        if self.store.owed() > 0 {
            graph.own = graph.edges[..graph.own].iter().filter(|edge| self.holds(edge)).count();
            graph.edges.retain(|edge| self.holds(edge));
            graph.outside.retain(|one| self.is_there(one.source));
            graph.misses.retain(|one| self.is_there(one.source));
        }
        let graph = Arc::new(graph);
        let mut graphs = self.graphs.borrow_mut();
        if graphs.len() >= REMEMBERED {
            graphs.clear();
        }
        graphs.insert(file, Arc::clone(&graph));
        Ok(graph)
    }

    /// Whether both ends of an edge are there: files that have yet to be resolved still speak of what is gone.
    fn holds(&self, edge: &EdgeRow) -> bool {
        self.store.owed() == 0 || (self.is_there(edge.source) && self.is_there(edge.target))
    }

    fn is_there(&self, node: NodeId) -> bool {
        self.store.reader().file_of(node).is_ok_and(|file| file.is_some())
    }

    /// The files whose uses depend on what bears a name elsewhere; among them all that use something of that name.
    pub fn dependents_of_name(&self, name: &str) -> Result<Vec<FileId>, EngineError> {
        Ok(self.store.reader().dependents_of_name(name)?)
    }

    /// What a node is; none where it is no longer there.
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
