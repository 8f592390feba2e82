//! Work on the store besides refreshing: garbage collection, vector renewal, prefetching.

mod gc;
mod prefetch;
mod stored_trees;
mod vector_renewal;

pub use gc::{GcOptions, GcReport};
pub use prefetch::Prefetcher;
