//! A graph written as text, for tests: `a calls b; b calls c`.

use super::Edges;
use crate::{EdgeRow, NodeId, SymbolId};
use orient_model::{Confidence, EdgeKind, Rule};
use std::convert::Infallible;

/// A graph of named nodes. Nodes are ordered by name; ids go the other way, so that a test detects an order by id.
pub(crate) struct TestGraph {
    names: Vec<String>,
    edges: Vec<EdgeRow>,
}

impl TestGraph {
    /// Parses edges as `from kind to`, separated by `;`. The line of an edge is its position in the text, from 1; `?`
    /// after the kind makes it probable.
    pub(crate) fn new(text: &str) -> Self {
        let edges: Vec<Vec<&str>> = text.split(';').map(|edge| edge.split_whitespace().collect()).collect();
        let mut names: Vec<String> =
            edges.iter().flat_map(|edge| [edge[0].to_owned(), edge[2].to_owned()]).collect();
        names.sort_unstable_by(|a, b| b.cmp(a));
        names.dedup();
        let mut sketch = Self { names, edges: Vec::new() };
        for (line, edge) in edges.iter().enumerate() {
            let kind: EdgeKind = edge[1].trim_end_matches('?').parse().expect("a kind of edge");
            let confidence = if edge[1].ends_with('?') { Confidence::Probable } else { Confidence::Exact };
            let (source, target) = (sketch.node(edge[0]), sketch.node(edge[2]));
            let line = line as u32 + 1;
            sketch.edges.push(EdgeRow { source, kind, target, line, confidence, rule: Rule::Scope });
        }
        sketch
    }

    pub(crate) fn node(&self, name: &str) -> NodeId {
        let numbered = self.names.iter().zip(1..).find(|(known, _)| *known == name);
        SymbolId(numbered.expect("a node of the sketch").1).into()
    }

    pub(crate) fn name(&self, node: NodeId) -> &str {
        let id = node.symbol().expect("sketches have no files");
        &self.names[usize::try_from(id.0).expect("made above") - 1]
    }

    pub(crate) fn shown(&self, edges: &[EdgeRow]) -> Vec<String> {
        let show = |edge: &EdgeRow| {
            format!("{} {} {}", self.name(edge.source), edge.kind.as_str(), self.name(edge.target))
        };
        edges.iter().map(show).collect()
    }
}

impl Edges for TestGraph {
    type Error = Infallible;
    type Order = String;

    fn incoming(&self, node: NodeId) -> Result<Vec<EdgeRow>, Infallible> {
        Ok(self.edges.iter().filter(|edge| edge.target == node).copied().collect())
    }

    fn outgoing(&self, node: NodeId) -> Result<Vec<EdgeRow>, Infallible> {
        Ok(self.edges.iter().filter(|edge| edge.source == node).copied().collect())
    }

    fn order(&self, node: NodeId) -> Result<String, Infallible> {
        Ok(self.name(node).to_owned())
    }
}
