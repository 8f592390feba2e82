//! The model a question is asked with: the provider that was chosen, or the built-in one when that cannot be had.

use crate::{Plan, Provider, ProviderError, Variables, World};
use orient_embed::{BuiltIn, Embedder, ModelId, Role, Sum};
use orient_settings::Embed;
use std::path::Path;
use std::sync::Arc;

/// The built-in model and, where the settings name one and the user agreed, a provider beside it.
#[derive(Debug)]
pub struct Models {
    provider: Option<Provider>,
    /// Why there is none although the settings name one.
    note: Option<String>,
}

/// A question as a vector.
#[derive(Debug)]
pub struct Asked {
    /// Which model made it: only vectors of the same one can be compared with it.
    pub model: ModelId,
    /// The vector.
    pub sum: Sum,
    /// What the user should know, if it is not the model that was chosen.
    pub note: Option<String>,
}

impl Models {
    /// What the settings name, as far as it can be had. Never fails: search goes on with the built-in model, and
    /// [`Asked::note`] says why. `dimension` is that of vectors which are kept already.
    pub fn open(
        settings: &Embed,
        folder: &Path,
        dimension: Option<usize>,
        variables: Variables<'_>,
        world: Arc<dyn World>,
    ) -> Self {
        let connect = || -> Result<Option<Provider>, ProviderError> {
            let Some(plan) = Plan::of(settings)? else { return Ok(None) };
            let leave = plan.leave(folder)?;
            plan.connect(&leave, variables, dimension, world).map(Some)
        };
        match connect() {
            Ok(provider) => Self { provider, note: None },
            Err(error) => Self { provider: None, note: Some(instead(&error)) },
        }
    }

    /// The provider, where there is one.
    pub fn provider(&self) -> Option<&Provider> {
        self.provider.as_ref()
    }

    /// Why there is no provider although the settings name one.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// A question, by the provider if it answers.
    pub fn ask(&self, question: &str) -> Asked {
        let answered =
            self.provider.as_ref().map(|provider| (provider, provider.embed(&[question], Role::Query)));
        let note = match answered {
            Some((provider, Ok(mut sums))) if sums.len() == 1 => {
                return Asked { model: provider.model(), sum: sums.remove(0), note: None };
            }
            Some((_, Err(error))) => Some(instead(&error)),
            Some((_, Ok(_))) | None => self.note.clone(),
        };
        let built_in = BuiltIn::shared();
        Asked { model: built_in.model(), sum: built_in.sum(question), note }
    }
}

fn instead(error: &dyn std::error::Error) -> String {
    format!("{error}; answered with the built-in model instead")
}
