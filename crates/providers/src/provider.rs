//! A connected provider: embeds texts with retries, rate limiting and batch splitting.

use crate::batches::batches;
use crate::http::{Failure, HttpClient};
use crate::prompts::prompt;
use crate::provider_table::{Limits, ProviderKind};
use crate::rate_limiter::RateLimiter;
use crate::retry::{self, RetryPolicy};
use crate::wire_format;
use crate::{Plan, Runtime};
use orient_embed::{EmbedError, Embedder, ModelId, Role, TextEmbedding};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Incremented when the same text is sent in a different form.
const REVISION: u32 = 1;
/// A text that is rejected for its length is halved down to this length.
const MIN_TEXT: usize = 256;

/// A remote embedding model. Only [`Plan::connect`], which requires a permission, creates one.
pub struct Provider {
    kind: &'static ProviderKind,
    model: String,
    /// The requested dimension; `None` for the model's default.
    requested: Option<usize>,
    dimension: usize,
    limits: Limits,
    timeout: Duration,
    http: HttpClient,
    limiter: RateLimiter,
    runtime: Arc<dyn Runtime>,
}

/// Why a request failed.
enum RequestError {
    /// Retry, after this time if the provider named one.
    Transient(String, Option<Duration>),
    /// Send a smaller request.
    TooLarge(String),
    /// Do not retry.
    Permanent(EmbedError),
}

impl Provider {
    /// Embeds one word if the dimension is unknown.
    pub(crate) fn new(
        plan: &Plan,
        http: HttpClient,
        dimension: Option<usize>,
        runtime: Arc<dyn Runtime>,
    ) -> Result<Self, EmbedError> {
        let mut provider = Self {
            kind: plan.kind(),
            model: plan.model().to_owned(),
            requested: plan.dimensions(),
            dimension: dimension.or(plan.dimensions()).unwrap_or(0),
            limits: plan.limits(),
            timeout: plan.timeout(),
            http,
            limiter: RateLimiter::new(plan.limits().per_minute),
            runtime,
        };
        if provider.dimension == 0 {
            let (word, policy) = ("dimension".to_owned(), RetryPolicy::first_request(provider.timeout));
            let vectors = provider.request(&[word], Role::Query, policy).map_err(|error| match error {
                RequestError::Permanent(error) => error,
                RequestError::Transient(reason, _) | RequestError::TooLarge(reason) => {
                    provider.unavailable(reason)
                }
            })?;
            provider.dimension = vectors.first().map_or(0, Vec::len);
        }
        Ok(provider)
    }

    /// Limits on the size and number of requests.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    fn unavailable(&self, reason: impl Into<String>) -> EmbedError {
        EmbedError::Unavailable { provider: self.kind.title.to_owned(), reason: reason.into() }
    }

    fn invalid(&self, reason: impl Into<String>) -> EmbedError {
        EmbedError::InvalidResponse { provider: self.kind.title.to_owned(), reason: reason.into() }
    }

    /// Embeds texts in one request; if it is too large, in two halves.
    fn vectors(&self, texts: &[String], role: Role) -> Result<Vec<Vec<f32>>, EmbedError> {
        let reason = match self.request(texts, role, RetryPolicy::for_role(role, self.timeout)) {
            Ok(vectors) => return Ok(vectors),
            Err(RequestError::Permanent(error)) => return Err(error),
            Err(RequestError::Transient(reason, _)) => return Err(self.unavailable(reason)),
            Err(RequestError::TooLarge(reason)) => reason,
        };
        match texts {
            [] => Ok(Vec::new()),
            [text] if text.len() <= MIN_TEXT => Err(self.invalid(reason)),
            // The beginning of a text is the most informative part.
            [text] => self.vectors(&[text[..text.floor_char_boundary(text.len() / 2)].to_owned()], role),
            texts => {
                let (first, second) = texts.split_at(texts.len() / 2);
                let mut vectors = self.vectors(first, role)?;
                vectors.extend(self.vectors(second, role)?);
                Ok(vectors)
            }
        }
    }

    /// Sends a request, with retries.
    fn request(
        &self,
        texts: &[String],
        role: Role,
        policy: RetryPolicy,
    ) -> Result<Vec<Vec<f32>>, RequestError> {
        let started = self.runtime.now();
        let body = wire_format::request(self.kind, &self.model, texts, role, self.requested);
        let mut attempts = 0;
        loop {
            self.limiter.acquire(self.runtime.as_ref());
            if self.runtime.is_stopped() {
                return Err(RequestError::Permanent(self.unavailable("stopped")));
            }
            attempts += 1;
            let left =
                |runtime: &dyn Runtime| policy.total.saturating_sub(runtime.now().saturating_sub(started));
            let timeout = policy.timeout.min(left(self.runtime.as_ref()));
            let (reason, retry_after) = match self.attempt(&body, texts.len(), timeout) {
                Err(RequestError::Transient(reason, retry_after)) => (reason, retry_after),
                outcome => return outcome,
            };
            let wait = retry_after.unwrap_or_else(|| retry::backoff(attempts, self.runtime.random()));
            if wait > policy.max_wait {
                let reason = format!("{reason}; it asks to wait {} s", wait.as_secs());
                return Err(RequestError::Permanent(self.unavailable(reason)));
            }
            if attempts >= policy.attempts || wait >= left(self.runtime.as_ref()) {
                let times = if attempts > 1 { format!(" (tried {attempts} times)") } else { String::new() };
                let reason = format!("{reason}{times}");
                return Err(RequestError::Permanent(self.unavailable(reason)));
            }
            if retry_after.is_some() {
                self.limiter.pause_until(self.runtime.now() + wait);
            } else {
                self.runtime.sleep(wait);
            }
        }
    }

    fn attempt(&self, body: &[u8], texts: usize, timeout: Duration) -> Result<Vec<Vec<f32>>, RequestError> {
        let dimension = (self.dimension > 0).then_some(self.dimension);
        let limit = wire_format::max_response_size(texts, dimension);
        let response = match self.http.post(body, timeout, limit) {
            Ok(response) => response,
            Err(Failure::Transient(reason)) => {
                return Err(RequestError::Transient(self.redact(&reason), None));
            }
            Err(Failure::Permanent(reason)) => {
                return Err(RequestError::Permanent(self.invalid(self.redact(&reason))));
            }
        };
        if response.status == 200 {
            return wire_format::parse_response(self.kind.response, &response.body, texts, dimension)
                .map_err(|reason| RequestError::Permanent(self.invalid(self.redact(&reason))));
        }
        let message = self.redact(&wire_format::error_message(&response.body));
        let message = if message.is_empty() { String::new() } else { format!(": {message}") };
        let status = response.status;
        if retry::is_too_large(status, &message) {
            return Err(RequestError::TooLarge(format!("status {status}{message}")));
        }
        if retry::is_transient(status) {
            return Err(RequestError::Transient(format!("status {status}{message}"), response.retry_after));
        }
        Err(RequestError::Permanent(self.unavailable(self.describe_status(status, &message))))
    }

    fn describe_status(&self, status: u16, message: &str) -> String {
        let variable = self.kind.key.variable;
        match (status, self.http.key()) {
            (300..=399, _) => {
                format!("status {status}: redirects are not followed")
            }
            (401 | 403, Some(key)) => {
                format!("status {status}: the key in {} is not accepted{message}", key.variable())
            }
            (401 | 403, None) => {
                format!(
                    "status {status}: it requires a key: set {variable} and run `orient embed allow`{message}"
                )
            }
            (404, _) => format!("status 404: the URL or the model `{}` does not exist{message}", self.model),
            _ => format!("status {status}{message}"),
        }
    }

    /// Removes the API key from a text.
    fn redact(&self, text: &str) -> String {
        self.http.key().map_or_else(|| text.to_owned(), |key| key.redact(text))
    }
}

impl Embedder for Provider {
    fn model(&self) -> ModelId {
        let name = format!("{}/{}/{}", self.kind.name, self.model, self.dimension);
        ModelId { name: name.replace(char::is_whitespace, "_"), revision: REVISION }
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<TextEmbedding>, EmbedError> {
        let prefix = prompt(&self.model, role);
        // Blank texts have no meaning, and many providers reject a request that contains one.
        let mut embeddings = vec![TextEmbedding::from_floats(&vec![0.0; self.dimension]); texts.len()];
        let nonblank: Vec<usize> =
            (0..texts.len()).filter(|&index| !texts[index].trim().is_empty()).collect();
        let size = |index: &usize| prefix.len() + texts[*index].len();
        for indexes in batches(nonblank, self.limits.texts, self.limits.bytes, size) {
            let batch: Vec<String> =
                indexes.iter().map(|&index| format!("{prefix}{}", texts[index])).collect();
            for (index, vector) in indexes.into_iter().zip(self.vectors(&batch, role)?) {
                embeddings[index] = TextEmbedding::from_floats(&vector);
            }
        }
        Ok(embeddings)
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider").field("model", &self.model()).finish_non_exhaustive()
    }
}
