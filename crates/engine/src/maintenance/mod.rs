//! Work on the store besides refreshing: garbage collection, vector renewal, prefetching, export and import.

mod gc;
mod portable_index;
mod prefetch;
mod stored_trees;
mod vector_renewal;

pub use gc::{GcOptions, GcReport};
pub use portable_index::{ExportReport, ImportReport};
pub use prefetch::Prefetcher;
