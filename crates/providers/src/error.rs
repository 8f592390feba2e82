//! Why a provider cannot be used; every error tells the user what to do.

use crate::Terms;
use crate::provider_table::{BUILT_IN, KINDS};
use orient_embed::EmbedError;
use std::path::PathBuf;

/// Why a provider cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// No provider has that name.
    #[error("unknown provider `{name}`; {}", suggestion(name))]
    Unknown {
        /// The name in the settings.
        name: String,
    },
    /// The provider has no default model.
    #[error("{provider} has no default model: set {section}.model")]
    NoModel {
        /// The provider.
        provider: &'static str,
        /// The section of the settings.
        section: &'static str,
    },
    /// The provider has no default URL.
    #[error("{provider} has no default URL: set {section}.url, for example to http://127.0.0.1:8000")]
    NoUrl {
        /// The provider.
        provider: &'static str,
        /// The section of the settings.
        section: &'static str,
    },
    /// The URL is not valid.
    #[error("{section}.url is not a valid URL: {reason}")]
    Url {
        /// The section of the settings.
        section: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The user has not consented.
    #[error("nothing was sent: {} has not been allowed for this project", .terms)]
    NotAllowed {
        /// What needs consent.
        terms: Box<Terms>,
        /// What the stored consent applies to, if there is one.
        instead: Option<Box<Terms>>,
    },
    /// The API key is not set.
    #[error("{provider} needs a key: set the variable {variable}")]
    NoKey {
        /// The provider.
        provider: &'static str,
        /// The variable.
        variable: &'static str,
    },
    /// The API key is not valid.
    #[error("{reason}")]
    Key {
        /// The variable, without its value.
        reason: String,
    },
    /// There are no root certificates.
    #[error("no root certificates: {reason}; set SSL_CERT_FILE to a file of them")]
    Certificates {
        /// Why loading them failed.
        reason: String,
    },
    /// The consent cannot be stored.
    #[error("cannot store the consent in {}: {source}", path.display())]
    Consent {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The circuit breaker is open: a recent request failed.
    #[error("{reason}; not tried again for a moment")]
    CircuitOpen {
        /// The error of that request.
        reason: String,
    },
    /// The request failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

fn suggestion(name: &str) -> String {
    let names = || KINDS.iter().map(|kind| kind.name).chain([BUILT_IN]);
    match orient_model::nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known providers: {}", names().collect::<Vec<_>>().join(", ")),
    }
}
