//! Walks over the graph. They see it through [`Edges`] and know no store, so that a graph of five nodes tests them.

mod compact;
mod components;
mod dispatch;
mod edges;
mod paths;
mod rank;
mod reach;
#[cfg(test)]
mod sketch;

pub use compact::Compact;
pub use components::cycles;
pub use dispatch::Dispatching;
pub(crate) use dispatch::reversed;
pub use edges::{Direction, Edges};
pub use paths::{Starts, Way, WayOptions, Ways, shortest};
pub use rank::rank;
pub use reach::{Level, Reach, ReachOptions, Step, reach};
