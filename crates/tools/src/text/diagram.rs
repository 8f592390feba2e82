//! Diagrams of nodes and edges as text, in the languages of Mermaid and Graphviz.

use crate::error::{Code, ToolError};
use std::collections::BTreeMap;

/// The language of a diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiagramFormat {
    /// Mermaid.
    Mermaid,
    /// DOT, of Graphviz.
    Dot,
}

impl DiagramFormat {
    /// Parses the word users write.
    pub(crate) fn parse(word: &str) -> Result<Self, ToolError> {
        match word.to_ascii_lowercase().as_str() {
            "mermaid" => Ok(Self::Mermaid),
            "dot" | "graphviz" => Ok(Self::Dot),
            _ => Err(ToolError::new(Code::BadArgument, format!("`{word}` is no format of diagrams"))
                .hint("the formats are mermaid and dot")),
        }
    }
}

/// A directed graph with labels. Nodes are named by a key.
#[derive(Default)]
pub(crate) struct Diagram {
    nodes: Vec<String>,
    numbers: BTreeMap<String, usize>,
    edges: Vec<(usize, usize, String)>,
}

impl Diagram {
    /// Adds a node with a label, unless its key is known.
    pub(crate) fn node(&mut self, key: &str, label: &str) -> usize {
        if let Some(&known) = self.numbers.get(key) {
            return known;
        }
        self.numbers.insert(key.to_owned(), self.nodes.len());
        self.nodes.push(label.to_owned());
        self.nodes.len() - 1
    }

    /// Adds an edge between two keys; the label may be empty. A repeated edge is added once.
    pub(crate) fn edge(&mut self, from: &str, to: &str, label: &str) {
        let edge = (self.node(from, from), self.node(to, to), label.to_owned());
        if !self.edges.contains(&edge) {
            self.edges.push(edge);
        }
    }

    /// The diagram as text.
    pub(crate) fn render(&self, format: DiagramFormat) -> String {
        let mut lines = Vec::new();
        match format {
            DiagramFormat::Mermaid => {
                lines.push("flowchart TD".to_owned());
                for (number, label) in self.nodes.iter().enumerate() {
                    lines.push(format!("    n{number}[\"{}\"]", mermaid_text(label)));
                }
                for (from, to, label) in &self.edges {
                    let label = if label.is_empty() {
                        String::new()
                    } else {
                        format!("|\"{}\"|", mermaid_text(label))
                    };
                    lines.push(format!("    n{from} -->{label} n{to}"));
                }
            }
            DiagramFormat::Dot => {
                lines.push("digraph {".to_owned());
                lines.push("    node [shape=box];".to_owned());
                for (number, label) in self.nodes.iter().enumerate() {
                    lines.push(format!("    n{number} [label=\"{}\"];", dot_text(label)));
                }
                for (from, to, label) in &self.edges {
                    let label = if label.is_empty() {
                        String::new()
                    } else {
                        format!(" [label=\"{}\"]", dot_text(label))
                    };
                    lines.push(format!("    n{from} -> n{to}{label};"));
                }
                lines.push("}".to_owned());
            }
        }
        lines.join("\n")
    }
}

/// Text inside of quotes in Mermaid, where entities stand for what has a meaning.
fn mermaid_text(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('\n', " ")
}

/// Text inside of quotes in DOT.
fn dot_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagram_has_labels_and_each_edge_once() {
        let mut diagram = Diagram::default();
        diagram.node("a", "a \"quoted\"");
        diagram.edge("a", "b", "2");
        diagram.edge("a", "b", "2");
        assert_eq!(
            diagram.render(DiagramFormat::Mermaid),
            "flowchart TD\n    n0[\"a &quot;quoted&quot;\"]\n    n1[\"b\"]\n    n0 -->|\"2\"| n1"
        );
        assert_eq!(
            diagram.render(DiagramFormat::Dot),
            "digraph {\n    node [shape=box];\n    n0 [label=\"a \\\"quoted\\\"\"];\n    n1 [label=\"b\"];\n    n0 -> n1 [label=\"2\"];\n}"
        );
    }
}
