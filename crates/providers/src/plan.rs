//! From settings to a provider: who would be asked, whether the user agreed, and only then a connection.

use crate::http::Http;
use crate::key::Key;
use crate::table::{BUILT_IN, KINDS, Kind, Limits};
use crate::{Endpoint, Provider, ProviderError, Terms, World, consent};
use orient_settings::Embed;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Looks up a variable of the environment.
pub type Variables<'v> = &'v dyn Fn(&str) -> Option<String>;

/// The variables of this process.
pub fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Who would be asked, and how. Nothing has been sent, and nobody has agreed.
#[derive(Clone, Debug)]
pub struct Plan {
    kind: &'static Kind,
    model: String,
    endpoint: Endpoint,
    dimensions: Option<usize>,
    limits: Limits,
    timeout: Duration,
}

/// The user's leave for one plan. Only [`Plan::leave`] gives one.
#[derive(Clone, Debug)]
pub struct Leave {
    terms: Terms,
    /// Whether the key may go along: it was said so, not merely taken for granted because nothing leaves the machine.
    with_key: bool,
}

impl Plan {
    /// What the settings say; nothing for the built-in model.
    pub fn of(settings: &Embed) -> Result<Option<Self>, ProviderError> {
        let Some(name) = settings.provider.as_deref().filter(|name| *name != BUILT_IN) else {
            return Ok(None);
        };
        let kind = KINDS.iter().find(|kind| kind.name == name);
        let kind = kind.ok_or_else(|| ProviderError::Unknown { name: name.to_owned() })?;
        let provider = kind.title;
        let model = settings.model.as_deref().or(kind.model).ok_or(ProviderError::NoModel { provider })?;
        let url = settings.url.as_deref().or(kind.url).ok_or(ProviderError::NoUrl { provider })?;
        let endpoint = Endpoint::parse(url, kind.path).map_err(|reason| ProviderError::Url { reason })?;
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
    pub fn kind(&self) -> &'static Kind {
        self.kind
    }

    /// The model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Provider and model, as one name: what vectors are kept under, with their dimension.
    pub fn source(&self) -> String {
        format!("{}/{}", self.kind.name, self.model)
    }

    /// Where it is.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// How many values vectors are to have; none for as many as the model has by itself.
    pub fn dimensions(&self) -> Option<usize> {
        self.dimensions
    }

    /// How much is sent at a time.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// How long one request may take.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// What the user is asked to agree to.
    pub fn terms(&self) -> Terms {
        Terms {
            provider: self.kind.name.to_owned(),
            url: self.endpoint.url().to_owned(),
            model: self.model.clone(),
        }
    }

    /// The user's leave, as it is kept in the folder of the tree. What stays on this machine needs none, but gets the key
    /// only with one: a repository could name any port.
    pub fn leave(&self, folder: &Path) -> Result<Leave, ProviderError> {
        let (terms, allowed) = (self.terms(), consent::allowed(folder));
        let with_key = allowed.as_ref() == Some(&terms);
        if with_key || self.endpoint.is_local() {
            return Ok(Leave { terms, with_key });
        }
        Err(ProviderError::NotAllowed { terms: Box::new(terms), instead: allowed.map(Box::new) })
    }

    /// Whether the variable of the key holds anything.
    pub fn has_key(&self, variables: Variables<'_>) -> bool {
        Key::read(self.kind.key, variables).is_ok_and(|key| key.is_some())
    }

    /// A provider that may be asked. Where nobody knows the dimension yet, one word is sent to find out.
    pub fn connect(
        &self,
        leave: &Leave,
        variables: Variables<'_>,
        dimension: Option<usize>,
        world: Arc<dyn World>,
    ) -> Result<Provider, ProviderError> {
        if leave.terms != self.terms() {
            let (terms, instead) = (Box::new(self.terms()), Some(Box::new(leave.terms.clone())));
            return Err(ProviderError::NotAllowed { terms, instead });
        }
        let key = if leave.with_key {
            Key::read(self.kind.key, variables).map_err(|reason| ProviderError::Key { reason })?
        } else {
            None
        };
        if key.is_none() && self.kind.key.needed && !self.endpoint.is_local() {
            let (provider, variable) = (self.kind.title, self.kind.key.variable);
            return Err(ProviderError::NoKey { provider, variable });
        }
        let http = Http::new(self.endpoint.clone(), key, self.limits.requests)?;
        Ok(Provider::new(self, http, dimension, world)?)
    }
}
