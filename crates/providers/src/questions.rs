//! Questions to a provider: one connection for many of them, and a rest after a failure.

use crate::{Plan, Provider, ProviderError, Terms, Variables, World, consent};
use orient_embed::{EmbedError, Embedder, ModelId, Role, TextEmbedding};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// After a failure nobody is asked for so long: whoever asks has an answer of the built-in model meanwhile, and need not
/// wait for another failure each time.
const REST: Duration = Duration::from_secs(30);

/// Whoever puts questions to a provider.
pub struct Questions {
    world: Arc<dyn World>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    line: Option<Line>,
    /// Until when nobody is asked over that line, and why.
    rest: Option<(Duration, String)>,
}

/// A connection, with what it was made for: any change needs another one.
#[derive(Clone)]
struct Line {
    terms: Terms,
    allowed: Option<Terms>,
    dimension: usize,
    provider: Arc<Provider>,
}

impl Questions {
    /// Nobody has been asked yet.
    pub fn new(world: Arc<dyn World>) -> Self {
        Self { world, state: Mutex::default() }
    }

    /// A question as a vector that can be compared with those of so many values which are kept already. The user's leave is
    /// looked for each time; without it no connection is opened.
    pub fn ask(
        &self,
        plan: &Plan,
        folder: &Path,
        variables: Variables<'_>,
        dimension: usize,
        question: &str,
    ) -> Result<(ModelId, TextEmbedding), ProviderError> {
        let leave = plan.leave(folder)?;
        let (terms, allowed) = (plan.terms(), consent::allowed(folder));
        let kept = self.state().line.clone();
        let line = match kept {
            Some(line) if (&line.terms, &line.allowed, line.dimension) == (&terms, &allowed, dimension) => {
                line
            }
            _ => {
                let provider = plan.connect(&leave, variables, Some(dimension), self.world.clone())?;
                let line = Line { terms, allowed, dimension, provider: Arc::new(provider) };
                *self.state() = State { line: Some(line.clone()), rest: None };
                line
            }
        };
        if let Some((until, reason)) = &self.state().rest
            && self.world.now() < *until
        {
            return Err(ProviderError::Resting { reason: reason.clone() });
        }
        let answered = line.provider.embed(&[question], Role::Query);
        let mut state = self.state();
        state.rest = answered.as_ref().err().map(|error| (self.world.now() + REST, error.to_string()));
        let sum = answered?.pop().ok_or_else(|| EmbedError::InvalidResponse {
            provider: plan.kind().title.to_owned(),
            reason: "no vector for the question".to_owned(),
        })?;
        Ok((line.provider.model(), sum))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
