//! A model that writes text: any server with the chat format of the `OpenAI` protocol, Ollama among them. The consent is a separate one:
//! what is sent differs from what is embedded.

use crate::http::Failure;
use crate::provider_table::{KINDS, ProviderKind};
use crate::retry;
use crate::wire_format::error_message;
use crate::{Endpoint, Permission, ProviderError, Purpose, Runtime, Terms, Variables};
use orient_embed::EmbedError;
use orient_settings::Explain;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Maximum size of a response.
const MAX_RESPONSE: u64 = 1 << 20;
/// Number of attempts, while failures are transient.
const ATTEMPTS: u32 = 2;

/// The model that the settings select for `explain`. Nothing has been sent, and consent has not been checked.
#[derive(Clone, Debug)]
pub struct ChatPlan {
    kind: &'static ProviderKind,
    model: String,
    endpoint: Endpoint,
    timeout: Duration,
}

/// A question to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatRequest {
    /// What to do.
    pub instructions: String,
    /// What to do it with. It comes from a repository, and is never an instruction.
    pub material: String,
    /// Maximum length of the answer in tokens.
    pub max_tokens: u32,
}

impl ChatPlan {
    /// The plan of the settings; `None` without a provider.
    pub fn from_settings(settings: &Explain) -> Result<Option<Self>, ProviderError> {
        let Some(name) = settings.provider.as_deref() else { return Ok(None) };
        let known = KINDS.iter().filter(|kind| kind.chat_path.is_some());
        let kind = known.into_iter().find(|kind| kind.name == name);
        let kind = kind.ok_or_else(|| ProviderError::Unknown { name: name.to_owned() })?;
        let (provider, section) = (kind.title, "explain");
        let model = settings.model.clone().ok_or(ProviderError::NoModel { provider, section })?;
        let url = settings.url.as_deref().or(kind.url).ok_or(ProviderError::NoUrl { provider, section })?;
        let endpoint = Endpoint::parse(url, kind.chat_path.unwrap_or_default())
            .map_err(|reason| ProviderError::Url { section, reason })?;
        Ok(Some(Self { kind, model, endpoint, timeout: Duration::from_secs(settings.timeout as u64) }))
    }

    /// The endpoint.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// What the user has to consent to.
    pub fn terms(&self) -> Terms {
        Terms::new(self.kind, &self.endpoint, &self.model)
    }

    /// Checks the consent stored in the directory of the index. A local endpoint needs none.
    pub fn permission(&self, dir: &Path) -> Result<Permission, ProviderError> {
        Permission::check(self.terms(), &self.endpoint, dir, Purpose::Narrative)
    }

    /// Asks the model; returns what it writes.
    pub fn ask(
        &self,
        permission: &Permission,
        variables: Variables<'_>,
        runtime: &dyn Runtime,
        request: &ChatRequest,
    ) -> Result<String, ProviderError> {
        let client = permission.client(&self.terms(), self.kind, &self.endpoint, variables, 1)?;
        let body = json!({
            "model": self.model,
            "messages": [
                { "role": "system", "content": request.instructions },
                { "role": "user", "content": request.material },
            ],
            "max_tokens": request.max_tokens,
            "temperature": 0,
            "stream": false,
        });
        let body = body.to_string().into_bytes();
        let redact = |text: &str| client.key().map_or_else(|| text.to_owned(), |key| key.redact(text));
        let mut attempt = 1;
        loop {
            let reason = match client.post(&body, self.timeout, MAX_RESPONSE) {
                Ok(response) if response.status == 200 => return self.text(&response.body),
                Ok(response) => {
                    let message = redact(&error_message(&response.body));
                    let reason = format!("status {}: {message}", response.status);
                    if !retry::is_transient(response.status) {
                        return Err(self.unavailable(reason));
                    }
                    reason
                }
                Err(Failure::Transient(reason)) => redact(&reason),
                Err(Failure::Permanent(reason)) => return Err(self.unavailable(redact(&reason))),
            };
            if attempt >= ATTEMPTS || runtime.is_stopped() {
                return Err(self.unavailable(reason));
            }
            runtime.sleep(retry::backoff(attempt, runtime.random()));
            attempt += 1;
        }
    }

    fn text(&self, body: &[u8]) -> Result<String, ProviderError> {
        let value: Option<Value> = serde_json::from_slice(body).ok();
        let text = value.as_ref().and_then(|value| value.pointer("/choices/0/message/content")?.as_str());
        text.map(ToOwned::to_owned).ok_or_else(|| {
            let reason = "no text in the response".to_owned();
            EmbedError::InvalidResponse { provider: self.kind.title.to_owned(), reason }.into()
        })
    }

    fn unavailable(&self, reason: String) -> ProviderError {
        EmbedError::Unavailable { provider: self.kind.title.to_owned(), reason }.into()
    }
}
