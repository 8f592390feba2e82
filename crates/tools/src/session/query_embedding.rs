//! Which model compares a question with the code: the provider that was chosen, once it has seen enough of the chunks and
//! answers in time; the built-in one else. The answer says which.

use crate::error::ToolError;
use crate::session::Session;
use crate::text::number_format::count;
use orient_engine::{EmbeddingCoverage, RemoteQuery, SearchResults, Snapshot, analyse};
use orient_providers::{Plan, ProviderError, QueryClient, SystemRuntime, environment};
use std::sync::{Arc, Mutex, PoisonError};

/// A provider answers once it has seen this share of the chunks, in percent; where it has not, the built-in model says how
/// near a chunk is.
const MIN_COVERAGE_PERCENT: u64 = 90;

/// What is kept between questions of what lies outside of this machine.
pub(crate) struct ProviderState {
    questions: QueryClient,
    /// Why embedding in the background came to a halt.
    stopped: Mutex<Option<String>>,
}

impl Default for ProviderState {
    fn default() -> Self {
        let world = Arc::new(SystemRuntime::new(|| false));
        Self { questions: QueryClient::new(world), stopped: Mutex::default() }
    }
}

impl ProviderState {
    /// Notes why embedding in the background came to a halt, or that it goes on.
    pub(crate) fn set_stopped(&self, reason: Option<String>) {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    }
}

/// How a question is compared with the code.
#[derive(Default)]
pub(crate) struct QueryEmbedding {
    /// The question as a vector of the provider's model; none for the built-in one.
    pub(crate) question: Option<RemoteQuery>,
    /// Which model answers, where somebody chose one, and how far the other one is.
    pub(crate) note: Option<String>,
}

impl QueryEmbedding {
    /// Asks the provider of the settings, if there is one, it may be asked and it has seen enough.
    pub(crate) fn of(session: &Session<'_>, snapshot: &Snapshot, text: &str) -> Result<Self, ToolError> {
        let plan = match Plan::from_settings(&session.loaded().settings.embed) {
            Ok(None) => return Ok(Self::default()),
            Ok(Some(plan)) => plan,
            Err(error) => return Ok(Self::built_in(&error.to_string())),
        };
        let folder = match session.private_folder(false) {
            Ok(folder) => folder,
            Err(error) => return Ok(Self::built_in(error.message())),
        };
        if let Err(error) = plan.permission(&folder) {
            return Ok(Self::built_in(&format!("{error} (`orient embed allow`)")));
        }
        let source = plan.source();
        let coverage = snapshot.coverage(&source, plan.dimensions().unwrap_or(0))?;
        let model = match &coverage.model {
            Some(model) if coverage.known * 100 >= coverage.total * MIN_COVERAGE_PERCENT => model.clone(),
            _ => return Ok(Self::built_in(&session.provider_state().progress(&source, &coverage))),
        };
        let words = analyse(text).text;
        if words.trim().is_empty() {
            return Ok(Self::default());
        }
        let asked = session.provider_state().questions.embed_query(
            &plan,
            &folder,
            &environment,
            model.dimension,
            &words,
        );
        Ok(match asked {
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
                "0 chunks embedded by {source} as it is asked now (`orient embed run`)"
            )),
            Err(error @ ProviderError::Embed(orient_embed::EmbedError::InvalidResponse { .. })) => {
                Self::built_in(&format!("{error} (`orient embed run` embeds anew what does not fit)"))
            }
            Err(error) => Self::built_in(&error.to_string()),
        })
    }

    /// Which model answered, where somebody chose one.
    pub(crate) fn note(self, found: &SearchResults) -> Option<String> {
        match self {
            Self { question: Some(_), .. } if !found.by_remote => {
                Self::built_in("what the provider made of the chunks is gone (`orient embed run`)").note
            }
            Self { note: Some(note), .. } => Some(note),
            Self { note: None, .. } if found.without_vector > 0 => Some(format!(
                "vectors: {} chunks have none yet of the built-in model of this version; a server in the background, or `orient index`, makes them",
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
            Some(reason) => format!(", no more for now: {reason}"),
            None => " (`orient embed run`, or a server in the background, embeds the rest)".to_owned(),
        };
        format!("{known} of {total} chunks embedded by {source}{how}")
    }
}
