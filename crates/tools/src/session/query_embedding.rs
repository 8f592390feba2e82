//! Embedding of a query: by the configured provider, if it has embedded enough chunks and responds in time, else by the
//! built-in model. A note says which.

use crate::error::ToolError;
use crate::session::Session;
use crate::text::number_format::count;
use orient_engine::{EmbeddingCoverage, RemoteQuery, SearchResults, Snapshot, analyse};
use orient_providers::{Plan, ProviderError, QueryClient, SystemRuntime, environment};
use std::sync::{Arc, Mutex, PoisonError};

/// Minimum percentage of chunks that a provider must have embedded. The built-in model scores the other chunks.
const MIN_COVERAGE_PERCENT: u64 = 90;

/// The state of the embedding provider that calls share.
pub(crate) struct ProviderState {
    client: QueryClient,
    /// Why background embedding stopped.
    stopped: Mutex<Option<String>>,
}

impl Default for ProviderState {
    fn default() -> Self {
        let runtime = Arc::new(SystemRuntime::new(|| false));
        Self { client: QueryClient::new(runtime), stopped: Mutex::default() }
    }
}

impl ProviderState {
    /// Records why background embedding stopped; `None` if it runs.
    pub(crate) fn set_stopped(&self, reason: Option<String>) {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    }
}

/// The embedding of a query.
#[derive(Default)]
pub(crate) struct QueryEmbedding {
    /// The query vector of the provider's model; `None` for the built-in model.
    pub(crate) question: Option<RemoteQuery>,
    /// Which model is used, and how far the provider has got.
    pub(crate) note: Option<String>,
}

impl QueryEmbedding {
    /// Embeds a query with the configured provider, if the user has allowed it and it has embedded enough chunks.
    pub(crate) fn of(session: &Session<'_>, snapshot: &Snapshot, text: &str) -> Result<Self, ToolError> {
        let plan = match Plan::from_settings(&session.loaded().settings.embed) {
            Ok(None) => return Ok(Self::default()),
            Ok(Some(plan)) => plan,
            Err(error) => return Ok(Self::built_in(&error.to_string())),
        };
        let directory = match session.private_directory(false) {
            Ok(directory) => directory,
            Err(error) => return Ok(Self::built_in(error.message())),
        };
        if let Err(error) = plan.permission(&directory) {
            return Ok(Self::built_in(&format!("{error} (`orient embed allow`)")));
        }
        let source = plan.source();
        let coverage = snapshot.coverage(&source, plan.dimensions().unwrap_or(0))?;
        let model = match &coverage.model {
            Some(model) if coverage.known * 100 >= coverage.total * MIN_COVERAGE_PERCENT => model.clone(),
            _ => return Ok(Self::built_in(&session.provider_state().progress(&source, &coverage))),
        };
        let query = analyse(text).text;
        if query.trim().is_empty() {
            return Ok(Self::default());
        }
        let embedded = session.provider_state().client.embed_query(
            &plan,
            &directory,
            &environment,
            model.dimension,
            &query,
        );
        Ok(match embedded {
            Ok((id, sum)) if id.to_string() == model.name => {
                let rest = match coverage.known {
                    known if known == coverage.total => String::new(),
                    known => format!(
                        ", {} of {} chunks; built-in model for the rest",
                        count(known),
                        count(coverage.total)
                    ),
                };
                let note = Some(format!("vectors: {source}{rest}"));
                Self { question: Some(RemoteQuery { model, sum }), note }
            }
            Ok(_) => Self::built_in(&format!(
                "0 chunks embedded by {source} with the current settings (`orient embed run`)"
            )),
            Err(error @ ProviderError::Embed(orient_embed::EmbedError::InvalidResponse { .. })) => {
                Self::built_in(&format!("{error} (`orient embed run` embeds the affected chunks again)"))
            }
            Err(error) => Self::built_in(&error.to_string()),
        })
    }

    /// The note about the model that answered.
    pub(crate) fn note(self, found: &SearchResults) -> Option<String> {
        match self {
            Self { question: Some(_), .. } if !found.by_remote => {
                Self::built_in("the provider's vectors are no longer available (`orient embed run`)").note
            }
            Self { note: Some(note), .. } => Some(note),
            Self { note: None, .. } if found.without_vector > 0 => Some(format!(
                "vectors: {} chunks have no vectors of this version's built-in model yet; `orient index` or a running server computes them",
                count(found.without_vector)
            )),
            Self { .. } => None,
        }
    }

    fn built_in(why: &str) -> Self {
        Self { question: None, note: Some(format!("vectors: built-in model; {why}")) }
    }
}

impl ProviderState {
    fn progress(&self, source: &str, coverage: &EmbeddingCoverage) -> String {
        let (known, total) = (count(coverage.known), count(coverage.total));
        let how = match &*self.stopped.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(reason) => format!(", stopped for now: {reason}"),
            None => " (`orient embed run` or a running server embeds the rest)".to_owned(),
        };
        format!("{known} of {total} chunks embedded by {source}{how}")
    }
}
