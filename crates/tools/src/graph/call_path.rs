//! Ways through the graph in words: each node with the line that leads on to the next.

use super::node_line::NodeLine;
use crate::text::writer::{Style, TextWriter};
use orient_engine::{EdgeRow, EngineError, GraphPath, GraphView, NodeId};
use orient_model::{Confidence, EdgeKind};
use schemars::JsonSchema;
use serde::Serialize;
use std::io;

/// A way from one symbol to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct CallPath {
    /// How many edges it has.
    pub(crate) length: u64,
    /// How sure the weakest of them is.
    pub(crate) confidence: &'static str,
    /// The symbols on it, in order.
    pub(crate) steps: Vec<PathStep>,
}

/// A symbol on the way, and how it leads on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct PathStep {
    /// The symbol.
    #[serde(flatten)]
    pub(crate) node: NodeLine,
    /// What it does to the next; nothing for the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) leads: Option<PathEdge>,
}

/// The edge that leads on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct PathEdge {
    /// What it is: `calls`, `dispatches`, …
    pub(crate) kind: &'static str,
    /// Its line.
    pub(crate) line: u32,
    /// How sure we are.
    pub(crate) confidence: &'static str,
    /// The rule that proved it.
    pub(crate) rule: &'static str,
}

impl CallPath {
    /// A way in words.
    pub(crate) fn of(view: &GraphView<'_>, path: &GraphPath) -> Result<Self, EngineError> {
        Self::along(view, path.start, path.edges.iter().map(|edge| (edge, edge.target)))
    }

    /// The way from a node along edges, each with the node it is followed to.
    pub(crate) fn along<'e>(
        view: &GraphView<'_>,
        start: NodeId,
        edges: impl IntoIterator<Item = (&'e EdgeRow, NodeId)>,
    ) -> Result<Self, EngineError> {
        let mut steps = vec![PathStep { node: NodeLine::of(&view.describe(start)?), leads: None }];
        let mut weakest = Confidence::Exact;
        for (edge, next) in edges {
            weakest = weakest.max(edge.confidence);
            if let Some(last) = steps.last_mut() {
                last.leads = Some(PathEdge {
                    kind: edge.kind.as_str(),
                    line: edge.line,
                    confidence: edge.confidence.as_str(),
                    rule: edge.rule.as_str(),
                });
            }
            steps.push(PathStep { node: NodeLine::of(&view.describe(next)?), leads: None });
        }
        Ok(Self { length: steps.len() as u64 - 1, confidence: weakest.as_str(), steps })
    }

    /// Says that it starts inside another symbol.
    pub(crate) fn start_within(&mut self, node: NodeLine) {
        if let Some(first) = self.steps.first_mut() {
            first.node = node;
        }
    }

    /// One symbol a line, each below the one before: the place of the call, then the symbol.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>, indent: usize) -> io::Result<()> {
        let dispatches = EdgeKind::Dispatches.as_str();
        for (depth, step) in self.steps.iter().enumerate() {
            writer.plain(&"  ".repeat(indent + depth))?;
            match &step.leads {
                Some(leads) if leads.kind != dispatches => {
                    writer.put(Style::Path, &format!("{}:{}", step.node.path, leads.line))?;
                    writer.plain("  ")?;
                    step.node.write_name(writer)?;
                }
                _ => step.node.write(writer)?,
            }
            if let Some(leads) = &step.leads {
                let word = if leads.kind == dispatches { "may reach" } else { leads.kind };
                writer.put(Style::Dim, &format!("  {word}"))?;
                if leads.confidence != Confidence::Exact.as_str() && leads.kind != dispatches {
                    writer.put(Style::Dim, &format!(" {}: {}", leads.confidence, leads.rule))?;
                }
            }
            writer.end_line()?;
        }
        Ok(())
    }

    /// All of it on one line: `test_total → checkout → Cart.total`.
    pub(crate) fn chain(&self) -> String {
        self.steps.iter().map(|step| step.node.called()).collect::<Vec<_>>().join(" → ")
    }
}
