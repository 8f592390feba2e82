//! The operations as an MCP server: over stdio for one client, over HTTP for many.
//!
//! The only crate that knows the protocol, its SDK and the network. The operation table defines the tools and their
//! arguments; this crate adds the token budget, the history of what a session was sent, access control, and limits on
//! connections, sessions and concurrent calls.

mod access_control;
mod answer;
mod call_tracker;
mod connections;
mod cursor;
mod error;
mod first_index;
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
