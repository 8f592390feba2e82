//! The operations as an MCP server: over stdio for one client, over HTTP for many.
//!
//! The only crate that knows the protocol, its SDK and the network. What is offered, and how arguments are read, comes
//! from the table of operations; here it gets a budget, a memory of what was sent, and doors that are guarded.

mod answer;
mod call;
mod connections;
mod cursor;
mod error;
mod gate;
mod http;
mod lines;
mod metrics;
mod progress;
mod prompts;
mod resources;
mod schema;
mod sent;
mod server;
mod sessions;
mod sheet;
mod stdio;
mod tree;

pub use error::ServeError;
pub use http::{HttpOptions, http};
pub use schema::listing;
pub use stdio::stdio;
pub use tree::{KeeperMaker, Options};
