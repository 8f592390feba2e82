//! The operations as an MCP server: over stdio for one client, over HTTP for many.
//!
//! The only crate that knows the protocol, its SDK and the network. What is offered, and how arguments are read, comes
//! from the table of operations; here it gets a budget, a memory of what was sent, and doors that are guarded.

mod access_control;
mod answer;
mod call_tracker;
mod connections;
mod cursor;
mod error;
mod http;
mod line_transport;
mod metrics;
mod progress_notifications;
mod prompts;
mod resources;
mod schema;
mod sent_history;
mod served_tree;
mod server;
mod session_eviction;
mod stdio;
mod token_budget;

pub use error::ServeError;
pub use http::{HttpOptions, http};
pub use schema::listing;
pub use served_tree::{FreshnessFactory, Options};
pub use stdio::stdio;
