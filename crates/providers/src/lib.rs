//! Embedding providers behind a network: Ollama, anything that speaks `OpenAI`'s protocol, Voyage, Nomic, Cohere.
//!
//! The only crate that opens a connection to somewhere else. A [`Plan`] says who would be asked, and reads nothing but
//! settings; a [`Leave`] is the user's yes to exactly that, and without one there is no [`Provider`]. Providers are rows of
//! one [table](KINDS): no code knows one by name. Keys come from the environment alone, and no output shows one.
//!
//! It knows neither chunks nor the store: [`embed_all`] takes texts and hands finished vectors to whoever keeps them.

mod all;
mod batch;
mod consent;
mod endpoint;
mod error;
mod http;
mod key;
mod pace;
mod plan;
mod prompts;
mod provider;
mod questions;
mod retry;
mod table;
mod wire;

pub use all::{Amount, Job, Outcome, Standing, embed_all};
pub use consent::{Terms, allow, allowed, forget};
pub use endpoint::Endpoint;
pub use error::ProviderError;
pub use pace::{Machine, World};
pub use plan::{Leave, Plan, Variables, environment};
pub use provider::Provider;
pub use questions::Questions;
pub use table::{BUILT_IN, KINDS, KeyRule, Kind, Limits};
