//! Graph algorithms. They see the graph through [`Edges`] and not the store, so that tests can use a graph of five
//! nodes.

mod breadth_first;
mod csr_graph;
mod dispatch;
mod edges;
mod pagerank;
mod shortest_paths;
mod strongly_connected;
#[cfg(test)]
mod test_graph;

pub use breadth_first::{LevelCounts, Reach, ReachOptions, ReachStep, reach};
pub use csr_graph::CsrGraph;
pub use dispatch::WithDispatch;
pub(crate) use dispatch::reversed;
pub use edges::{Direction, Edges};
pub use pagerank::pagerank;
pub use shortest_paths::{GraphPath, GraphPaths, PathOptions, PathStarts, shortest_paths};
pub use strongly_connected::cyclic_components;
