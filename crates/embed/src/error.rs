//! Errors: a model that cannot be parsed, or a provider that fails.

/// Why bytes are not a model this version can use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The magic number is wrong.
    #[error("these bytes are not an embedding model")]
    NotAModel,
    /// The version of the format is not supported.
    #[error("the embedding model has format {found}; this version reads format {known}")]
    Format {
        /// The format of the file.
        found: u32,
        /// The format this version reads.
        known: u32,
    },
    /// The file is truncated, too long or inconsistent.
    #[error("the embedding model is damaged: {0}")]
    Damaged(&'static str),
}

/// Why texts were not embedded. The built-in model never fails; remote providers can.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The provider could not be reached or refused the request; a later attempt may succeed.
    #[error("{provider} is not available: {reason}")]
    Unavailable {
        /// The provider.
        provider: String,
        /// Its message.
        reason: String,
    },
    /// The response of the provider is not valid; another attempt would not succeed.
    #[error("{provider} sent an invalid response: {reason}")]
    InvalidResponse {
        /// The provider.
        provider: String,
        /// What is invalid.
        reason: String,
    },
}
