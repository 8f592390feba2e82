//! The graph of a page as a diagram in the languages of other tools.

use super::gather::GatheredGraph;
use orient_tools::{Diagram, DiagramFormat, DiagramNode, EdgeLine};

/// The graph in the language of another tool.
pub(crate) fn text(graph: &GatheredGraph, format: DiagramFormat) -> String {
    let mut diagram = Diagram::default();
    for (handle, node) in &graph.nodes {
        let (name, path) = (&node.node.name, &node.node.path);
        let label = if name.is_empty() { handle.clone() } else { name.clone() };
        let detail = if *path == label { String::new() } else { path.clone() };
        diagram.node(handle, DiagramNode { label, detail, is_focus: node.is_focus });
    }
    for ((from, to), edge) in &graph.edges {
        diagram.edge(from, to, "", EdgeLine::of_confidence(&edge.confidence));
    }
    diagram.render(format)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::NodeData;
    use crate::graph::gather::{GraphEdge, GraphNode};

    #[test]
    fn the_focus_and_the_confidence_show() {
        let node = |name: &str, is_focus| GraphNode {
            node: NodeData { name: name.to_owned(), path: "a.rs".to_owned(), ..NodeData::default() },
            is_focus,
        };
        let mut graph = GatheredGraph::default();
        graph.nodes.insert("a.rs#x\"]".to_owned(), node("x\"]", true));
        graph.nodes.insert("a.rs#y".to_owned(), node("y", false));
        let edge = GraphEdge { confidence: "probable".to_owned(), ..GraphEdge::default() };
        graph.edges.insert(("a.rs#x\"]".to_owned(), "a.rs#y".to_owned()), edge);
        let dot = text(&graph, DiagramFormat::Dot);
        assert!(dot.contains("n0 [label=\"x\\\"]\\na.rs\", penwidth=2];"), "{dot}");
        assert!(dot.contains("n0 -> n1 [style=dashed];"), "{dot}");
        let mermaid = text(&graph, DiagramFormat::Mermaid);
        assert!(mermaid.contains("n0[\"x#34;]<br/>a.rs\"]") && mermaid.contains("n0 -.-> n1"), "{mermaid}");
    }
}
