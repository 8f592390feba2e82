//! The user's consent to send code to a provider, bound to its purpose, URL and model.

use crate::provider_table::ProviderKind;
use crate::{Endpoint, ProviderError};
use orient_consent::ConsentKind;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// What code is sent for. A consent to one purpose is none to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Chunks of the index, to be embedded.
    Embedding,
    /// What `explain` found, to be put into words.
    Narrative,
}

impl Purpose {
    fn consent(self) -> ConsentKind {
        match self {
            Self::Embedding => ConsentKind {
                file: "embed-allowed.toml",
                given_by: "orient embed allow",
                revoked_by: "orient embed forget",
            },
            Self::Narrative => ConsentKind {
                file: "explain-allowed.toml",
                given_by: "orient explain --allow",
                revoked_by: "orient explain --forget",
            },
        }
    }
}

/// What a consent applies to. Any change requires a new consent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The name of the provider in the settings.
    pub provider: String,
    /// The full URL.
    pub url: String,
    /// The model.
    pub model: String,
}

impl Terms {
    /// The terms of sending to a model of a provider.
    pub(crate) fn new(kind: &ProviderKind, endpoint: &Endpoint, model: &str) -> Self {
        Self { provider: kind.name.to_owned(), url: endpoint.url().to_owned(), model: model.to_owned() }
    }
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} with {}", self.provider, self.url, self.model)
    }
}

/// The stored consent; `None` if there is none or it cannot be read.
pub fn allowed(dir: &Path, purpose: Purpose) -> Option<Terms> {
    purpose.consent().read(dir)
}

/// Stores a consent and replaces an earlier one.
pub fn allow(dir: &Path, purpose: Purpose, terms: &Terms) -> Result<(), ProviderError> {
    let consent = purpose.consent();
    consent.change(dir, |known| *known = Some(terms.clone())).map_err(|source| failed(dir, &consent, source))
}

/// Revokes the consent; returns whether there was one.
pub fn forget(dir: &Path, purpose: Purpose) -> Result<bool, ProviderError> {
    let consent = purpose.consent();
    if !dir.join(consent.file).exists() {
        return Ok(false);
    }
    let revoke = |known: &mut Option<Terms>| known.take().is_some();
    consent.change(dir, revoke).map_err(|source| failed(dir, &consent, source))
}

fn failed(dir: &Path, consent: &ConsentKind, source: std::io::Error) -> ProviderError {
    ProviderError::Consent { path: dir.join(consent.file), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consent_is_stored_replaced_and_revoked() {
        let directory = tempfile::tempdir().expect("a directory");
        let directory = directory.path().join("tree");
        let terms = |model: &str| Terms {
            provider: "voyage".into(),
            url: "https://a.example/\"quoted\"".into(),
            model: model.into(),
        };
        assert_eq!(allowed(&directory, Purpose::Embedding), None);
        assert!(!forget(&directory, Purpose::Embedding).expect("nothing there is fine"));
        assert!(!directory.exists(), "nothing was created");
        allow(&directory, Purpose::Embedding, &terms("one")).expect("kept");
        assert_eq!(allowed(&directory, Purpose::Embedding), Some(terms("one")));
        allow(&directory, Purpose::Embedding, &terms("two")).expect("kept");
        assert_eq!(allowed(&directory, Purpose::Embedding), Some(terms("two")));
        assert_eq!(
            allowed(&directory, Purpose::Narrative),
            None,
            "a consent to one purpose is none to another"
        );
        assert!(forget(&directory, Purpose::Embedding).expect("it was there"));
        assert_eq!(allowed(&directory, Purpose::Embedding), None);
    }
}
