//! Diagrams in the languages of other tools: DOT of Graphviz, and Mermaid.

use super::gather::GatheredGraph;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The graph in DOT.
pub(crate) fn dot(graph: &GatheredGraph) -> String {
    let mut text =
        "digraph orient {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\"];\n".to_owned();
    for (handle, node) in &graph.nodes {
        let label =
            format!("{}\\n{}", dot_text(label(node.node.name.as_str(), handle)), dot_text(&node.node.path));
        let bold = if node.is_focus { ", penwidth=2" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  \"{}\" [label=\"{label}\"{bold}];", dot_text(handle));
    }
    for ((from, to), edge) in &graph.edges {
        let style = match edge.confidence.as_str() {
            "exact" => "",
            "probable" => " [style=dashed]",
            _ => " [style=dotted]",
        };
        let _ = writeln!(text, "  \"{}\" -> \"{}\"{style};", dot_text(from), dot_text(to));
    }
    text.push_str("}\n");
    text
}

/// The graph in Mermaid.
pub(crate) fn mermaid(graph: &GatheredGraph) -> String {
    let numbers: BTreeMap<&str, usize> =
        graph.nodes.keys().enumerate().map(|(at, handle)| (handle.as_str(), at)).collect();
    let mut text = "flowchart LR\n".to_owned();
    for (handle, node) in &graph.nodes {
        let label = mermaid_text(label(node.node.name.as_str(), handle));
        let _ = writeln!(text, "  n{}[\"{label}\"]", numbers[handle.as_str()]);
    }
    for ((from, to), edge) in &graph.edges {
        let arrow = if edge.confidence == "exact" { "-->" } else { "-.->" };
        let _ = writeln!(text, "  n{} {arrow} n{}", numbers[from.as_str()], numbers[to.as_str()]);
    }
    text
}

fn label<'l>(name: &'l str, handle: &'l str) -> &'l str {
    if name.is_empty() { handle } else { name }
}

/// A text inside of a quoted string of DOT.
fn dot_text(text: &str) -> String {
    let visible = text.chars().filter(|c| !c.is_control());
    visible.flat_map(|c| if matches!(c, '"' | '\\') { vec!['\\', c] } else { vec![c] }).collect()
}

/// A text inside of a quoted label of Mermaid, which has entities but no escapes.
fn mermaid_text(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars().filter(|c| !c.is_control()) {
        match c {
            '"' | '#' | '&' | '<' | '>' | ';' => {
                let _ = write!(escaped, "#{};", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::NodeData;
    use crate::graph::gather::{GraphEdge, GraphNode};

    fn graph() -> GatheredGraph {
        let node = |name: &str, is_focus| GraphNode {
            node: NodeData { name: name.to_owned(), path: "a.rs".to_owned(), ..NodeData::default() },
            is_focus,
        };
        let mut graph = GatheredGraph::default();
        graph.nodes.insert("a.rs#x\"]".to_owned(), node("x\"]", true));
        graph.nodes.insert("a.rs#y".to_owned(), node("y", false));
        let edge = GraphEdge { confidence: "probable".to_owned(), ..GraphEdge::default() };
        graph.edges.insert(("a.rs#x\"]".to_owned(), "a.rs#y".to_owned()), edge);
        graph
    }

    #[test]
    fn names_cannot_end_their_string() {
        let text = dot(&graph());
        assert!(text.contains("\"a.rs#x\\\"]\" -> \"a.rs#y\" [style=dashed];"), "{text}");
        let text = mermaid(&graph());
        assert!(text.contains("n0[\"x#34;]\"]") && text.contains("n0 -.-> n1"), "{text}");
    }
}
