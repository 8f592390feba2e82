//! Walks over the graph. They see it through [`Edges`] and know no store, so that a graph of five nodes tests them.

mod breadth_first;
mod csr_graph;
mod dispatch;
mod edges;
mod pagerank;
mod shortest_paths;
mod strongly_connected;
#[cfg(test)]
mod test_graph;

pub use breadth_first::{Level, Reach, ReachOptions, Step, reach};
pub use csr_graph::Compact;
pub use dispatch::Dispatching;
pub(crate) use dispatch::reversed;
pub use edges::{Direction, Edges};
pub use pagerank::rank;
pub use shortest_paths::{Starts, Way, WayOptions, Ways, shortest};
pub use strongly_connected::cycles;
