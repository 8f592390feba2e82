//! What can go wrong: a model that cannot be read, or a provider that does not answer.

/// Why bytes are not a model this version can use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The bytes do not begin like a model.
    #[error("these bytes are not an embedding model")]
    NotAModel,
    /// A model of a format this version does not know.
    #[error("the embedding model has format {found}; this version reads format {known}")]
    Format {
        /// The format the bytes state.
        found: u32,
        /// The format this version reads.
        known: u32,
    },
    /// The bytes end too early, go on too long, or contradict themselves.
    #[error("the embedding model is damaged: {0}")]
    Damaged(&'static str),
}

/// Why texts were not embedded. The built-in model never fails; providers behind a network do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The provider could not be reached or refused; trying later may help.
    #[error("{provider} does not answer: {reason}")]
    Unavailable {
        /// Who was asked.
        provider: String,
        /// What it said.
        reason: String,
    },
    /// The provider answered something else than it was asked for; trying again will not help.
    #[error("{provider} gave a wrong answer: {reason}")]
    Wrong {
        /// Who was asked.
        provider: String,
        /// What is wrong with it.
        reason: String,
    },
}
