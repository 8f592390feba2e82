//! The interface between graph algorithms and a graph.

use crate::{EdgeRow, NodeId};

/// The direction of a traversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Against the edges: to users.
    In,
    /// Along the edges: to what is used.
    Out,
}

impl Direction {
    /// The end of an edge that a traversal in this direction reaches.
    pub fn end(self, edge: &EdgeRow) -> NodeId {
        match self {
            Self::In => edge.source,
            Self::Out => edge.target,
        }
    }
}

/// A graph as traversals see it.
pub trait Edges {
    /// The error of a lookup.
    type Error;
    /// The sort key of nodes. All results are ordered by it, because ids depend on the history of the index.
    type Order: Ord;

    /// The edges that lead to a node.
    fn incoming(&self, node: NodeId) -> Result<Vec<EdgeRow>, Self::Error>;
    /// The edges that start at a node.
    fn outgoing(&self, node: NodeId) -> Result<Vec<EdgeRow>, Self::Error>;
    /// The sort key of a node.
    fn order(&self, node: NodeId) -> Result<Self::Order, Self::Error>;
    /// Whether a node can override a base member. Avoids lookups for nodes that cannot.
    fn can_override(&self, _node: NodeId) -> Result<bool, Self::Error> {
        Ok(true)
    }
    /// Whether a container provides the type of a dispatched member where that of the base member is asked for; `None` if nothing is
    /// registered for it.
    fn is_provided(&self, _dispatch: &EdgeRow) -> Result<Option<bool>, Self::Error> {
        Ok(None)
    }
}

impl<E: Edges> Edges for &E {
    type Error = E::Error;
    type Order = E::Order;

    fn incoming(&self, node: NodeId) -> Result<Vec<EdgeRow>, E::Error> {
        (**self).incoming(node)
    }

    fn outgoing(&self, node: NodeId) -> Result<Vec<EdgeRow>, E::Error> {
        (**self).outgoing(node)
    }

    fn order(&self, node: NodeId) -> Result<E::Order, E::Error> {
        (**self).order(node)
    }

    fn can_override(&self, node: NodeId) -> Result<bool, E::Error> {
        (**self).can_override(node)
    }

    fn is_provided(&self, dispatch: &EdgeRow) -> Result<Option<bool>, E::Error> {
        (**self).is_provided(dispatch)
    }
}

/// The edges of a node in a direction.
pub(crate) fn toward<E: Edges>(
    graph: &E,
    node: NodeId,
    direction: Direction,
) -> Result<Vec<EdgeRow>, E::Error> {
    match direction {
        Direction::In => graph.incoming(node),
        Direction::Out => graph.outgoing(node),
    }
}
