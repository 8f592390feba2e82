//! Diagrams of nodes and edges as text, in the languages of Mermaid and Graphviz. Every export goes through here, so that no label from a
//! repository can end its string or become markup.

use crate::error::{Code, ToolError};
use crate::text::escape::escape_invisible;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The language of a diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagramFormat {
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

/// A node of a diagram.
#[derive(Clone, Debug, Default)]
pub struct DiagramNode {
    /// Its name.
    pub label: String,
    /// A second line; may be empty.
    pub detail: String,
    /// Whether the diagram is about it.
    pub is_focus: bool,
}

/// How an edge is drawn, by how sure it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EdgeLine {
    /// Proven.
    #[default]
    Solid,
    /// Probable.
    Dashed,
    /// Less than probable.
    Dotted,
}

impl EdgeLine {
    /// The line of a confidence, as answers spell it.
    pub fn of_confidence(word: &str) -> Self {
        match word {
            "exact" => Self::Solid,
            "probable" => Self::Dashed,
            _ => Self::Dotted,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct DiagramEdge {
    from: usize,
    to: usize,
    label: String,
    line: EdgeLine,
}

/// A directed graph with labels. Nodes are named by a key.
#[derive(Default)]
pub struct Diagram {
    nodes: Vec<DiagramNode>,
    numbers: BTreeMap<String, usize>,
    edges: Vec<DiagramEdge>,
    is_layered: bool,
}

impl Diagram {
    /// A diagram of layers, from top to bottom; others go from left to right.
    pub fn layered() -> Self {
        Self { is_layered: true, ..Self::default() }
    }

    /// Adds a node, unless its key is known.
    pub fn node(&mut self, key: &str, node: DiagramNode) -> usize {
        if let Some(&known) = self.numbers.get(key) {
            return known;
        }
        self.numbers.insert(key.to_owned(), self.nodes.len());
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds an edge between two keys; the label may be empty. A node that is unknown is labelled with its key, and a repeated edge is
    /// added once.
    pub fn edge(&mut self, from: &str, to: &str, label: &str, line: EdgeLine) {
        let named = |key: &str| DiagramNode { label: key.to_owned(), ..DiagramNode::default() };
        let (from, to) = (self.node(from, named(from)), self.node(to, named(to)));
        let edge = DiagramEdge { from, to, label: label.to_owned(), line };
        if !self.edges.contains(&edge) {
            self.edges.push(edge);
        }
    }

    /// The diagram as text, with a line break at its end.
    pub fn render(&self, format: DiagramFormat) -> String {
        match format {
            DiagramFormat::Mermaid => self.mermaid(),
            DiagramFormat::Dot => self.dot(),
        }
    }

    // Writing to a string cannot fail.
    fn mermaid(&self) -> String {
        let mut text = if self.is_layered { "flowchart TD\n" } else { "flowchart LR\n" }.to_owned();
        for (number, node) in self.nodes.iter().enumerate() {
            let detail = match node.detail.as_str() {
                "" => String::new(),
                detail => format!("<br/>{}", mermaid_text(detail)),
            };
            let _ = writeln!(text, "    n{number}[\"{}{detail}\"]", mermaid_text(&node.label));
        }
        for DiagramEdge { from, to, label, line } in &self.edges {
            let arrow = if *line == EdgeLine::Solid { "-->" } else { "-.->" };
            let label =
                if label.is_empty() { String::new() } else { format!("|\"{}\"|", mermaid_text(label)) };
            let _ = writeln!(text, "    n{from} {arrow}{label} n{to}");
        }
        for (number, _) in self.nodes.iter().enumerate().filter(|(_, node)| node.is_focus) {
            let _ = writeln!(text, "    style n{number} stroke-width:3px");
        }
        text
    }

    fn dot(&self) -> String {
        let direction = if self.is_layered { "TB" } else { "LR" };
        let mut text = format!("digraph {{\n    rankdir={direction};\n    node [shape=box];\n");
        for (number, node) in self.nodes.iter().enumerate() {
            let detail = match node.detail.as_str() {
                "" => String::new(),
                detail => format!("\\n{}", dot_text(detail)),
            };
            let focus = if node.is_focus { ", penwidth=2" } else { "" };
            let _ = writeln!(text, "    n{number} [label=\"{}{detail}\"{focus}];", dot_text(&node.label));
        }
        for DiagramEdge { from, to, label, line } in &self.edges {
            let mut attributes = Vec::new();
            if !label.is_empty() {
                attributes.push(format!("label=\"{}\"", dot_text(label)));
            }
            match line {
                EdgeLine::Solid => {}
                EdgeLine::Dashed => attributes.push("style=dashed".to_owned()),
                EdgeLine::Dotted => attributes.push("style=dotted".to_owned()),
            }
            let attributes =
                if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
            let _ = writeln!(text, "    n{from} -> n{to}{attributes};");
        }
        text.push_str("}\n");
        text
    }
}

/// Text inside of quotes in Mermaid, where numbered entities stand for what has a meaning.
fn mermaid_text(text: &str) -> String {
    let mut escaped = String::new();
    for c in escape_invisible(text).chars() {
        match c {
            '"' | '#' | '&' | '<' | '>' | ';' | '`' | '\\' => {
                let _ = write!(escaped, "#{};", u32::from(c));
            }
            '\t' => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Text inside of quotes in DOT.
fn dot_text(text: &str) -> String {
    let mut escaped = String::new();
    for c in escape_invisible(text).chars() {
        match c {
            '"' | '\\' => escaped.extend(['\\', c]),
            '\t' => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagram() -> Diagram {
        let mut diagram = Diagram::default();
        let detail = "src/a.rs:1".to_owned();
        diagram.node("a", DiagramNode { label: "a".to_owned(), detail, is_focus: true });
        diagram.edge("a", "b", "2", EdgeLine::Dashed);
        diagram.edge("a", "b", "2", EdgeLine::Dashed);
        diagram
    }

    #[test]
    fn a_diagram_has_labels_and_each_edge_once() {
        assert_eq!(
            diagram().render(DiagramFormat::Mermaid),
            "flowchart LR\n    n0[\"a<br/>src/a.rs:1\"]\n    n1[\"b\"]\n    n0 -.->|\"2\"| n1\n    style n0 stroke-width:3px\n"
        );
        assert_eq!(
            diagram().render(DiagramFormat::Dot),
            "digraph {\n    rankdir=LR;\n    node [shape=box];\n    n0 [label=\"a\\nsrc/a.rs:1\", penwidth=2];\n    n1 [label=\"b\"];\n    n0 -> n1 [label=\"2\", style=dashed];\n}\n"
        );
    }

    #[test]
    fn a_label_cannot_end_its_string_or_its_line() {
        let hostile = "x\"];\nclick n0 \"javascript:alert(1)\" <b>`m`</b> \\ \u{202e}";
        let mut diagram = Diagram::default();
        diagram.node(hostile, DiagramNode { label: hostile.to_owned(), ..DiagramNode::default() });
        diagram.edge(hostile, "b", hostile, EdgeLine::Solid);
        let mermaid = diagram.render(DiagramFormat::Mermaid);
        assert_eq!(mermaid.lines().count(), 4, "{mermaid}");
        assert!(
            !mermaid.contains("<b>") && !mermaid.contains('`') && !mermaid.contains('\u{202e}'),
            "{mermaid}"
        );
        assert_eq!(mermaid.matches('"').count(), 6, "{mermaid}");
        let dot = diagram.render(DiagramFormat::Dot);
        assert_eq!(dot.lines().count(), 7, "{dot}");
        for line in dot.lines() {
            let plain = line.replace("\\\\", "").replace("\\\"", "");
            assert_eq!(plain.matches('"').count() % 2, 0, "{line}");
        }
    }
}
