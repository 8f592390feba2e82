//! Clients of remote models: providers of embeddings (Ollama, servers with the `OpenAI` protocol, Voyage, Nomic, Cohere), and
//! models that put an explanation into words.
//!
//! The only crate that opens outgoing connections. A [`Plan`] says which provider the settings select; a [`Permission`] is
//! the user's consent to exactly that, and without one there is no [`Provider`]. Providers are rows of one [table](KINDS):
//! no code refers to one by name. API keys come only from the environment and never appear in output.
//!
//! A [`TeamServer`] is asked in the same way: the user's settings name it, and only the question is sent. A team server itself fetches the
//! keys of an identity provider from a [`KeySetAddress`].
//!
//! It does not depend on chunks or the store: [`embed_all`] takes texts and passes vectors to a callback.

mod api_key;
mod batch_embed;
mod batches;
mod chat;
mod consent;
mod endpoint;
mod error;
mod http;
mod key_set;
mod plan;
mod prompts;
mod provider;
mod provider_table;
mod query_client;
mod rate_limiter;
mod retry;
mod runtime;
mod team_server;
mod wire_format;

pub use batch_embed::{Amount, Job, Outcome, Progress, embed_all};
pub use chat::{ChatPlan, ChatRequest};
pub use consent::{Purpose, Terms, allow, allowed, forget};
pub use endpoint::Endpoint;
pub use error::ProviderError;
pub use key_set::KeySetAddress;
pub use plan::{Permission, Plan, Variables, environment};
pub use provider::Provider;
pub use provider_table::{BUILT_IN, KINDS, KeySource, Limits, ProviderKind};
pub use query_client::QueryClient;
pub use runtime::{Runtime, SystemRuntime};
pub use team_server::{ServerFacts, TeamServer, TeamServerError};
