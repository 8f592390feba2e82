//! A path through the graph as answers show it: each node with the edge to the next.

use super::node_line::NodeLine;
use crate::text::writer::{Style, TextWriter};
use orient_engine::{EdgeRow, EngineError, GraphPath, GraphView, NodeId};
use orient_model::{Confidence, EdgeKind};
use serde::Serialize;
use std::io;

/// A path from one symbol to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct CallPath {
    /// Number of edges.
    pub(crate) length: u64,
    /// The lowest confidence of its edges.
    pub(crate) confidence: &'static str,
    /// The symbols, in order.
    pub(crate) steps: Vec<PathStep>,
}

/// A symbol of a path, and the edge to the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PathStep {
    /// The symbol.
    #[serde(flatten)]
    pub(crate) node: NodeLine,
    /// The edge to the next symbol; absent for the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edge: Option<PathEdge>,
}

/// An edge of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PathEdge {
    /// Its kind: `calls`, `dispatches`, …
    pub(crate) kind: &'static str,
    /// Its line.
    pub(crate) line: u32,
    /// Its confidence.
    pub(crate) confidence: &'static str,
    /// The rule that proved it.
    pub(crate) rule: &'static str,
}

impl CallPath {
    /// The path of a search result.
    pub(crate) fn of(view: &GraphView<'_>, path: &GraphPath) -> Result<Self, EngineError> {
        Self::along(view, path.start, path.edges.iter().map(|edge| (edge, edge.target)))
    }

    /// The path from a node along edges, each with the node it leads to.
    pub(crate) fn along<'e>(
        view: &GraphView<'_>,
        start: NodeId,
        edges: impl IntoIterator<Item = (&'e EdgeRow, NodeId)>,
    ) -> Result<Self, EngineError> {
        let mut steps = vec![PathStep { node: NodeLine::of(&view.describe(start)?), edge: None }];
        let mut weakest = Confidence::Exact;
        for (edge, next) in edges {
            weakest = weakest.max(edge.confidence);
            if let Some(last) = steps.last_mut() {
                last.edge = Some(PathEdge {
                    kind: edge.kind.as_str(),
                    line: edge.line,
                    confidence: edge.confidence.as_str(),
                    rule: edge.rule.as_str(),
                });
            }
            steps.push(PathStep { node: NodeLine::of(&view.describe(next)?), edge: None });
        }
        Ok(Self { length: steps.len() as u64 - 1, confidence: weakest.as_str(), steps })
    }

    /// Replaces the start by the symbol around it.
    pub(crate) fn start_within(&mut self, node: NodeLine) {
        if let Some(first) = self.steps.first_mut() {
            first.node = node;
        }
    }

    /// Writes one symbol per line, each indented below the previous: the location of the call, then the symbol.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>, indent: usize) -> io::Result<()> {
        let dispatches = EdgeKind::Dispatches.as_str();
        for (depth, step) in self.steps.iter().enumerate() {
            writer.plain(&"  ".repeat(indent + depth))?;
            match &step.edge {
                Some(edge) if edge.kind != dispatches => {
                    writer.put(Style::Path, &format!("{}:{}", step.node.path, edge.line))?;
                    writer.plain("  ")?;
                    step.node.write_name(writer)?;
                }
                _ => step.node.write(writer)?,
            }
            if let Some(edge) = &step.edge {
                let word = if edge.kind == dispatches { "may reach" } else { edge.kind };
                writer.put(Style::Dim, &format!("  {word}"))?;
                if edge.confidence != Confidence::Exact.as_str() && edge.kind != dispatches {
                    writer.put(Style::Dim, &format!(" {}: {}", edge.confidence, edge.rule))?;
                }
            }
            writer.end_line()?;
        }
        Ok(())
    }

    /// The path on one line: `test_total → checkout → Cart.total`.
    pub(crate) fn chain(&self) -> String {
        self.steps.iter().map(|step| step.node.called()).collect::<Vec<_>>().join(" → ")
    }
}
