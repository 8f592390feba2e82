//! The operations as an MCP server, over stdio for one client and over HTTP for many, and as web pages over HTTP.
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
mod facts_download;
mod first_index;
mod http;
mod identity_provider;
mod index_events;
mod line_transport;
mod metrics;
mod progress_notifications;
mod prompts;
mod recent_calls;
mod remote_part;
mod resources;
mod sampling;
mod schema;
mod sent_history;
mod served_tree;
mod server;
mod session_eviction;
mod shared_call;
mod shared_http;
mod shared_pages;
mod shared_trees;
mod stdio;
mod tls;
mod token_budget;
mod web_pages;
mod webhook;

pub use error::ServeError;
pub use http::{HttpOptions, http};
pub use identity_provider::{Identity, IdentityProviderOptions, KeyFetcher};
pub use schema::listing;
pub use served_tree::{FreshnessFactory, Options};
pub use shared_http::{SharedOptions, shared_http};
pub use shared_trees::{
    AnsweredQuestion, Authentication, Caller, Credential, FactsFile, OpenedTrees, PublishedFacts,
    RepositoryLine, SharedQuestion, SharedTrees,
};
pub use stdio::stdio;
pub use tls::TlsFiles;
