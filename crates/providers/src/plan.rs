//! Selects a provider from the settings, checks the consent, and connects.

use crate::api_key::ApiKey;
use crate::http::HttpClient;
use crate::provider_table::{BUILT_IN, KINDS, Limits, ProviderKind};
use crate::{Endpoint, Provider, ProviderError, Purpose, Runtime, Terms, consent};
use orient_settings::Embed;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Looks up an environment variable.
pub type Variables<'v> = &'v dyn Fn(&str) -> Option<String>;

/// The environment of this process.
pub fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The provider that the settings select. Nothing has been sent, and consent has not been checked.
#[derive(Clone, Debug)]
pub struct Plan {
    kind: &'static ProviderKind,
    model: String,
    endpoint: Endpoint,
    dimensions: Option<usize>,
    limits: Limits,
    timeout: Duration,
}

/// The permission to connect for one plan. Only [`Plan::permission`] grants it.
#[derive(Clone, Debug)]
pub struct Permission {
    terms: Terms,
    /// Whether the API key may be sent: only with explicit consent, not merely because the endpoint is local.
    with_key: bool,
}

impl Permission {
    /// Checks the consent to a purpose. A local endpoint needs none, but receives the key only with one: any program may listen on a
    /// local port.
    pub(crate) fn check(
        terms: Terms,
        endpoint: &Endpoint,
        dir: &Path,
        purpose: Purpose,
    ) -> Result<Self, ProviderError> {
        let allowed = consent::allowed(dir, purpose);
        let with_key = allowed.as_ref() == Some(&terms);
        if with_key || endpoint.is_local() {
            return Ok(Self { terms, with_key });
        }
        Err(ProviderError::NotAllowed { terms: Box::new(terms), instead: allowed.map(Box::new) })
    }

    /// A client of the endpoint that was permitted, with the key if that was permitted too.
    pub(crate) fn client(
        &self,
        terms: &Terms,
        kind: &ProviderKind,
        endpoint: &Endpoint,
        variables: Variables<'_>,
        connections: usize,
    ) -> Result<HttpClient, ProviderError> {
        if self.terms != *terms {
            let (terms, instead) = (Box::new(terms.clone()), Some(Box::new(self.terms.clone())));
            return Err(ProviderError::NotAllowed { terms, instead });
        }
        let key = if self.with_key {
            ApiKey::read(kind.key, variables).map_err(|reason| ProviderError::Key { reason })?
        } else {
            None
        };
        if key.is_none() && kind.key.needed && !endpoint.is_local() {
            return Err(ProviderError::NoKey { provider: kind.title, variable: kind.key.variable });
        }
        HttpClient::new(endpoint.clone(), key, connections)
    }
}

impl Plan {
    /// The plan of the settings; `None` for the built-in model.
    pub fn from_settings(settings: &Embed) -> Result<Option<Self>, ProviderError> {
        let Some(name) = settings.provider.as_deref().filter(|name| *name != BUILT_IN) else {
            return Ok(None);
        };
        let kind = KINDS.iter().find(|kind| kind.name == name);
        let kind = kind.ok_or_else(|| ProviderError::Unknown { name: name.to_owned() })?;
        let (provider, section) = (kind.title, "embed");
        let model =
            settings.model.as_deref().or(kind.model).ok_or(ProviderError::NoModel { provider, section })?;
        let url = settings.url.as_deref().or(kind.url).ok_or(ProviderError::NoUrl { provider, section })?;
        let endpoint =
            Endpoint::parse(url, kind.path).map_err(|reason| ProviderError::Url { section, reason })?;
        let chosen = |value: usize, usual: usize| if value == 0 { usual } else { value };
        let limits = Limits {
            texts: chosen(settings.batch, kind.limits.texts),
            requests: chosen(settings.concurrency, kind.limits.requests),
            ..kind.limits
        };
        Ok(Some(Self {
            kind,
            model: model.to_owned(),
            endpoint,
            dimensions: (settings.dimensions > 0).then_some(settings.dimensions),
            limits,
            timeout: Duration::from_secs(settings.timeout as u64),
        }))
    }

    /// The provider.
    pub fn kind(&self) -> &'static ProviderKind {
        self.kind
    }

    /// The model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Provider and model as one name, under which vectors are stored.
    pub fn source(&self) -> String {
        format!("{}/{}", self.kind.name, self.model)
    }

    /// The endpoint.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The requested number of dimensions; `None` for the model's default.
    pub fn dimensions(&self) -> Option<usize> {
        self.dimensions
    }

    /// Limits on the size and number of requests.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The timeout of a request.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// What the user has to consent to.
    pub fn terms(&self) -> Terms {
        Terms::new(self.kind, &self.endpoint, &self.model)
    }

    /// Checks the consent stored in the directory of the index. A local endpoint needs none, but receives the key only with
    /// one: any program may listen on a local port.
    pub fn permission(&self, dir: &Path) -> Result<Permission, ProviderError> {
        Permission::check(self.terms(), &self.endpoint, dir, Purpose::Embedding)
    }

    /// Whether the API key is set.
    pub fn has_key(&self, variables: Variables<'_>) -> bool {
        ApiKey::read(self.kind.key, variables).is_ok_and(|key| key.is_some())
    }

    /// Connects. If the dimension is unknown, embeds one word to find out.
    pub fn connect(
        &self,
        permission: &Permission,
        variables: Variables<'_>,
        dimension: Option<usize>,
        runtime: Arc<dyn Runtime>,
    ) -> Result<Provider, ProviderError> {
        let http =
            permission.client(&self.terms(), self.kind, &self.endpoint, variables, self.limits.requests)?;
        Ok(Provider::new(self, http, dimension, runtime)?)
    }
}
