//! The read path: a snapshot of one generation and the queries on it.

pub(crate) mod snapshot;
pub(crate) mod symbol_query;
