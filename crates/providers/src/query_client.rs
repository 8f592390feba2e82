//! Embeds queries over one connection, with a circuit breaker after a failure.

use crate::{Plan, Provider, ProviderError, Purpose, Runtime, Terms, Variables, consent};
use orient_embed::{EmbedError, Embedder, ModelId, Role, TextEmbedding};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long the circuit breaker stays open after a failure. Meanwhile queries use the built-in model without waiting for
/// another failure.
const BREAK_DURATION: Duration = Duration::from_secs(30);

/// Embeds queries with a provider.
pub struct QueryClient {
    runtime: Arc<dyn Runtime>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    connection: Option<Connection>,
    /// Until when the circuit breaker is open, and the error that opened it.
    broken: Option<(Duration, String)>,
}

/// A connection and the parameters it was opened with; any change requires a new one.
#[derive(Clone)]
struct Connection {
    terms: Terms,
    allowed: Option<Terms>,
    dimension: usize,
    provider: Arc<Provider>,
}

impl QueryClient {
    /// Opens no connection yet.
    pub fn new(runtime: Arc<dyn Runtime>) -> Self {
        Self { runtime, state: Mutex::default() }
    }

    /// Embeds a query with this number of dimensions. Checks the consent every time; without it, opens no connection.
    pub fn embed_query(
        &self,
        plan: &Plan,
        dir: &Path,
        variables: Variables<'_>,
        dimension: usize,
        query: &str,
    ) -> Result<(ModelId, TextEmbedding), ProviderError> {
        let permission = plan.permission(dir)?;
        let (terms, allowed) = (plan.terms(), consent::allowed(dir, Purpose::Embedding));
        let cached = self.state().connection.clone();
        let connection = match cached {
            Some(cached)
                if (&cached.terms, &cached.allowed, cached.dimension) == (&terms, &allowed, dimension) =>
            {
                cached
            }
            _ => {
                let provider = plan.connect(&permission, variables, Some(dimension), self.runtime.clone())?;
                let connection = Connection { terms, allowed, dimension, provider: Arc::new(provider) };
                *self.state() = State { connection: Some(connection.clone()), broken: None };
                connection
            }
        };
        if let Some((until, reason)) = &self.state().broken
            && self.runtime.now() < *until
        {
            return Err(ProviderError::CircuitOpen { reason: reason.clone() });
        }
        let embedded = connection.provider.embed(&[query], Role::Query);
        let mut state = self.state();
        state.broken =
            embedded.as_ref().err().map(|error| (self.runtime.now() + BREAK_DURATION, error.to_string()));
        let sum = embedded?.pop().ok_or_else(|| EmbedError::InvalidResponse {
            provider: plan.kind().title.to_owned(),
            reason: "no vector for the query".to_owned(),
        })?;
        Ok((connection.provider.model(), sum))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
