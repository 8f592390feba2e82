//! The user's consent to send code to a provider, bound to its URL and model.

use crate::ProviderError;
use orient_consent::ConsentKind;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

const CONSENT: ConsentKind = ConsentKind {
    file: "embed-allowed.toml",
    given_by: "orient embed allow",
    revoked_by: "orient embed forget",
};

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

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} with {}", self.provider, self.url, self.model)
    }
}

/// The stored consent; `None` if there is none or it cannot be read.
pub fn allowed(dir: &Path) -> Option<Terms> {
    CONSENT.read(dir)
}

/// Stores a consent and replaces an earlier one.
pub fn allow(dir: &Path, terms: &Terms) -> Result<(), ProviderError> {
    CONSENT.change(dir, |known| *known = Some(terms.clone())).map_err(|source| failed(dir, source))
}

/// Revokes the consent; returns whether there was one.
pub fn forget(dir: &Path) -> Result<bool, ProviderError> {
    if !dir.join(CONSENT.file).exists() {
        return Ok(false);
    }
    let revoke = |known: &mut Option<Terms>| known.take().is_some();
    CONSENT.change(dir, revoke).map_err(|source| failed(dir, source))
}

fn failed(dir: &Path, source: std::io::Error) -> ProviderError {
    ProviderError::Consent { path: dir.join(CONSENT.file), source }
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
        assert_eq!(allowed(&directory), None);
        assert!(!forget(&directory).expect("nothing there is fine"));
        assert!(!directory.exists(), "nothing was created");
        allow(&directory, &terms("one")).expect("kept");
        assert_eq!(allowed(&directory), Some(terms("one")));
        allow(&directory, &terms("two")).expect("kept");
        assert_eq!(allowed(&directory), Some(terms("two")));
        assert!(forget(&directory).expect("it was there"));
        assert_eq!(allowed(&directory), None);
    }
}
