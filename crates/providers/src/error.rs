//! What stands between a user and a provider, by what the user can do about it.

use crate::Terms;
use crate::table::{BUILT_IN, KINDS};
use orient_embed::EmbedError;
use std::path::PathBuf;

/// Why a provider cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// No provider has that name.
    #[error("there is no embedding provider `{name}`; {}", meant(name))]
    Unknown {
        /// As it was written.
        name: String,
    },
    /// Only the user knows which model is loaded there.
    #[error("{provider} needs to be told which model: set embed.model")]
    NoModel {
        /// The provider.
        provider: &'static str,
    },
    /// Only the user knows where it is.
    #[error("{provider} needs to be told where it is: set embed.url, for example to http://127.0.0.1:8000")]
    NoUrl {
        /// The provider.
        provider: &'static str,
    },
    /// The address is none.
    #[error("embed.url is not the address of a provider: {reason}")]
    Url {
        /// What is wrong with it.
        reason: String,
    },
    /// The user has not said yes to this.
    #[error("nothing was sent: {} has not been allowed for this project", .terms)]
    NotAllowed {
        /// What was about to happen.
        terms: Box<Terms>,
        /// What was allowed instead, if anything.
        instead: Option<Box<Terms>>,
    },
    /// The environment has no key.
    #[error("{provider} needs a key: set the variable {variable}")]
    NoKey {
        /// The provider.
        provider: &'static str,
        /// The variable.
        variable: &'static str,
    },
    /// The environment has something that is no key.
    #[error("{reason}")]
    Key {
        /// Which variable; what it holds is not told.
        reason: String,
    },
    /// The machine has nothing to check an encrypted connection with.
    #[error("no certificates to check the provider with: {reason}; SSL_CERT_FILE can name a file of them")]
    Certificates {
        /// What was tried.
        reason: String,
    },
    /// What was allowed cannot be kept or read.
    #[error("cannot keep what is allowed in {}: {source}", path.display())]
    Consent {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It failed a moment ago, and is left alone for a while.
    #[error("{reason}; it is left alone for a moment")]
    Resting {
        /// What it failed with.
        reason: String,
    },
    /// The provider was asked and did not answer as it should.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

fn meant(name: &str) -> String {
    let names = || KINDS.iter().map(|kind| kind.name).chain([BUILT_IN]);
    match orient_model::nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
    }
}
