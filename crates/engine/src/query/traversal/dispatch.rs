//! Dynamic dispatch: a call of a base member may run its overrides.
//!
//! `overrides` edges lead from the overriding member to the overridden one; a call goes the other way. The reverse
//! `dispatches` edges are derived, not stored. Example: `Circle.area overrides Shape.area` gives `Shape.area
//! dispatches Circle.area`.

use super::Edges;
use crate::{EdgeRow, NodeId};
use orient_model::{Confidence, EdgeKind, Rule};

/// A graph extended with the dispatch edges derived from `overrides`.
#[derive(Clone, Copy, Debug)]
pub struct WithDispatch<E>(pub E);

/// The dispatch edge derived from an edge; `None` unless it is an `overrides`.
pub(crate) fn reversed(edge: &EdgeRow) -> Option<EdgeRow> {
    (edge.kind == EdgeKind::Overrides).then(|| EdgeRow {
        source: edge.target,
        kind: EdgeKind::Dispatches,
        target: edge.source,
        confidence: edge.confidence.max(Confidence::Probable),
        ..*edge
    })
}

impl<E: Edges> Edges for WithDispatch<E> {
    type Error = E::Error;
    type Order = E::Order;

    fn incoming(&self, node: NodeId) -> Result<Vec<EdgeRow>, E::Error> {
        let mut edges = self.0.incoming(node)?;
        if self.0.can_override(node)? {
            add(&mut edges, &self.0.outgoing(node)?);
            self.narrow(&mut edges)?;
        }
        Ok(edges)
    }

    fn outgoing(&self, node: NodeId) -> Result<Vec<EdgeRow>, E::Error> {
        let mut edges = self.0.outgoing(node)?;
        if self.0.can_override(node)? {
            add(&mut edges, &self.0.incoming(node)?);
            self.narrow(&mut edges)?;
        }
        Ok(edges)
    }

    fn order(&self, node: NodeId) -> Result<E::Order, E::Error> {
        self.0.order(node)
    }

    fn can_override(&self, node: NodeId) -> Result<bool, E::Error> {
        self.0.can_override(node)
    }

    fn is_provided(&self, dispatch: &EdgeRow) -> Result<Option<bool>, E::Error> {
        self.0.is_provided(dispatch)
    }
}

impl<E: Edges> WithDispatch<E> {
    /// A dispatch to what a container provides is by injection; one to something else is then hardly meant.
    fn narrow(&self, edges: &mut [EdgeRow]) -> Result<(), E::Error> {
        for edge in edges.iter_mut().filter(|edge| edge.kind == EdgeKind::Dispatches) {
            match self.0.is_provided(edge)? {
                Some(true) => edge.rule = Rule::Injected,
                Some(false) => edge.confidence = Confidence::Approximate,
                None => {}
            }
        }
        Ok(())
    }
}

/// Adds the dispatch edges derived from others, unless they are present.
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
    use crate::query::traversal::test_graph::TestGraph;

    #[test]
    fn an_override_gives_a_dispatch_from_the_base() {
        let graph = WithDispatch(TestGraph::new("circle.area overrides shape.area; main calls shape.area"));
        assert_eq!(
            graph.0.shown(&graph.outgoing(graph.0.node("shape.area")).expect("there")),
            ["shape.area dispatches circle.area"]
        );
        let incoming = graph.incoming(graph.0.node("circle.area")).expect("there");
        assert_eq!(graph.0.shown(&incoming), ["shape.area dispatches circle.area"]);
        assert_eq!(incoming[0].confidence, Confidence::Probable);
    }

    #[test]
    fn an_existing_dispatch_is_not_duplicated() {
        let graph = WithDispatch(TestGraph::new("b overrides a; a dispatches b"));
        assert_eq!(graph.outgoing(graph.0.node("a")).expect("there").len(), 1);
        assert_eq!(graph.incoming(graph.0.node("b")).expect("there").len(), 1);
    }
}
