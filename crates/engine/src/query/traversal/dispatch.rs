//! Dispatch: whoever calls a member of a base may reach what stands in for it.
//!
//! `overrides` leads from the heir's member to the base's; a call goes the other way. The reverse is not stored, since
//! it follows.

use super::Edges;
use crate::{EdgeRow, NodeId};
use orient_model::{Confidence, EdgeKind};

/// A graph together with the dispatch that follows from its `overrides`.
#[derive(Clone, Copy, Debug)]
pub struct Dispatching<E>(pub E);

/// The dispatch that follows from an edge; none unless it is an `overrides`.
pub(crate) fn reversed(edge: &EdgeRow) -> Option<EdgeRow> {
    (edge.kind == EdgeKind::Overrides).then(|| EdgeRow {
        source: edge.target,
        kind: EdgeKind::Dispatches,
        target: edge.source,
        confidence: edge.confidence.max(Confidence::Probable),
        ..*edge
    })
}

impl<E: Edges> Edges for Dispatching<E> {
    type Fault = E::Fault;
    type Place = E::Place;

    fn incoming(&self, node: NodeId) -> Result<Vec<EdgeRow>, E::Fault> {
        let mut edges = self.0.incoming(node)?;
        if self.0.can_override(node)? {
            add(&mut edges, &self.0.outgoing(node)?);
        }
        Ok(edges)
    }

    fn outgoing(&self, node: NodeId) -> Result<Vec<EdgeRow>, E::Fault> {
        let mut edges = self.0.outgoing(node)?;
        if self.0.can_override(node)? {
            add(&mut edges, &self.0.incoming(node)?);
        }
        Ok(edges)
    }

    fn place(&self, node: NodeId) -> Result<E::Place, E::Fault> {
        self.0.place(node)
    }

    fn can_override(&self, node: NodeId) -> Result<bool, E::Fault> {
        self.0.can_override(node)
    }
}

/// Adds the dispatch that follows from others, where it is not known by itself.
fn add(edges: &mut Vec<EdgeRow>, others: &[EdgeRow]) {
    for edge in others.iter().filter_map(reversed) {
        let same = |known: &EdgeRow| {
            known.kind == EdgeKind::Dispatches && (known.source, known.target) == (edge.source, edge.target)
        };
        if !edges.iter().any(same) {
            edges.push(edge);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::traversal::test_graph::Sketch;

    #[test]
    fn an_override_is_a_dispatch_seen_from_the_base() {
        let graph = Dispatching(Sketch::new("circle.area overrides shape.area; main calls shape.area"));
        assert_eq!(
            graph.0.shown(&graph.outgoing(graph.0.node("shape.area")).expect("there")),
            ["shape.area dispatches circle.area"]
        );
        let incoming = graph.incoming(graph.0.node("circle.area")).expect("there");
        assert_eq!(graph.0.shown(&incoming), ["shape.area dispatches circle.area"]);
        assert_eq!(incoming[0].confidence, Confidence::Probable);
    }

    #[test]
    fn a_dispatch_that_is_known_is_not_told_twice() {
        let graph = Dispatching(Sketch::new("b overrides a; a dispatches b"));
        assert_eq!(graph.outgoing(graph.0.node("a")).expect("there").len(), 1);
        assert_eq!(graph.incoming(graph.0.node("b")).expect("there").len(), 1);
    }
}
