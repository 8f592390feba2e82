//! What a walk asks of a graph.

use crate::{EdgeRow, NodeId};

/// Which way a walk goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Against the edges: to those that use.
    In,
    /// Along the edges: to what is used.
    Out,
}

impl Direction {
    /// The end of an edge a walk in this direction comes to.
    pub fn end(self, edge: &EdgeRow) -> NodeId {
        match self {
            Self::In => edge.source,
            Self::Out => edge.target,
        }
    }
}

/// A graph, as far as walks look at it.
pub trait Edges {
    /// What can go wrong when it is looked at.
    type Fault;
    /// Where a node stands. Decides every order, since ids depend on the history of the index.
    type Place: Ord;

    /// The edges that lead to a node.
    fn incoming(&self, node: NodeId) -> Result<Vec<EdgeRow>, Self::Fault>;
    /// The edges that start at a node.
    fn outgoing(&self, node: NodeId) -> Result<Vec<EdgeRow>, Self::Fault>;
    /// Where a node stands.
    fn place(&self, node: NodeId) -> Result<Self::Place, Self::Fault>;
    /// Whether a node can stand in for a member of a base. Saves a look at nodes that cannot.
    fn can_override(&self, _node: NodeId) -> Result<bool, Self::Fault> {
        Ok(true)
    }
}

impl<E: Edges> Edges for &E {
    type Fault = E::Fault;
    type Place = E::Place;

    fn incoming(&self, node: NodeId) -> Result<Vec<EdgeRow>, E::Fault> {
        (**self).incoming(node)
    }

    fn outgoing(&self, node: NodeId) -> Result<Vec<EdgeRow>, E::Fault> {
        (**self).outgoing(node)
    }

    fn place(&self, node: NodeId) -> Result<E::Place, E::Fault> {
        (**self).place(node)
    }

    fn can_override(&self, node: NodeId) -> Result<bool, E::Fault> {
        (**self).can_override(node)
    }
}

/// The edges of a node in a direction.
pub(crate) fn toward<E: Edges>(
    graph: &E,
    node: NodeId,
    direction: Direction,
) -> Result<Vec<EdgeRow>, E::Fault> {
    match direction {
        Direction::In => graph.incoming(node),
        Direction::Out => graph.outgoing(node),
    }
}
