//! Work on an index beside refreshing it: garbage collection, repair, vector renewal and prefetching.

pub(crate) mod gc;
mod prefetch;
mod repair;
pub(crate) mod vector_renewal;

pub use gc::{Collected, GcOptions};
pub use prefetch::Ahead;
