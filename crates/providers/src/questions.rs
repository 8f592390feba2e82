//! Questions to a provider: one connection for many of them, and a rest after a failure.

use crate::{Plan, Provider, ProviderError, Terms, Variables, World, consent};
use orient_embed::{Embedder, ModelId, Role, Sum};
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
    /// Until when nobody is asked, and why.
    rest: Option<(Duration, Line, String)>,
}

/// A connection, with what it was made for: any change needs another one.
#[derive(Clone)]
struct Line {
    terms: Terms,
    allowed: Option<Terms>,
    dimension: usize,
    provider: Arc<Provider>,
}

impl Line {
    fn is_for(&self, other: &Self) -> bool {
        (&self.terms, &self.allowed, self.dimension) == (&other.terms, &other.allowed, other.dimension)
    }
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
    ) -> Result<(ModelId, Sum), ProviderError> {
        let leave = plan.leave(folder)?;
        let (terms, allowed) = (plan.terms(), consent::allowed(folder));
        let kept = self.state().line.clone();
        let line = match kept {
            Some(line) if (&line.terms, &line.allowed, line.dimension) == (&terms, &allowed, dimension) => {
                line
            }
            _ => {
                let provider = plan.connect(&leave, variables, Some(dimension), self.world.clone())?;
                Line { terms, allowed, dimension, provider: Arc::new(provider) }
            }
        };
        if let Some((until, tired, reason)) = &self.state().rest
            && self.world.now() < *until
            && tired.is_for(&line)
        {
            return Err(ProviderError::Resting { reason: reason.clone() });
        }
        let model = line.provider.model();
        let answered = line.provider.embed(&[question], Role::Query);
        let mut state = self.state();
        match answered {
            Ok(mut sums) if sums.len() == 1 => {
                (state.line, state.rest) = (Some(line), None);
                Ok((model, sums.remove(0)))
            }
            Ok(sums) => {
                let reason = format!("{} vectors for one question", sums.len());
                Err(orient_embed::EmbedError::Wrong { provider: plan.kind().title.to_owned(), reason }.into())
            }
            Err(error) => {
                state.rest = Some((self.world.now() + REST, line, error.to_string()));
                Err(error.into())
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
