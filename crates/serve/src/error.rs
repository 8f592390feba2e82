//! Why a server could not start or go on.

use std::io;
use thiserror::Error;

/// What went wrong, by what the one who started the server can do.
#[derive(Debug, Error)]
pub enum ServeError {
    /// What was asked for cannot be served.
    #[error("{message}")]
    Asked {
        /// What is wrong.
        message: String,
        /// What to type instead; may be empty.
        hint: String,
    },
    /// The system gives us no thread, port or file.
    #[error("{what}: {source}")]
    System {
        /// What we wanted.
        what: String,
        /// What the system said.
        source: io::Error,
    },
}

impl ServeError {
    pub(crate) fn asked(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Asked { message: message.into(), hint: hint.into() }
    }

    pub(crate) fn system(what: impl Into<String>, source: io::Error) -> Self {
        Self::System { what: what.into(), source }
    }
}

impl From<orient_tools::ToolError> for ServeError {
    fn from(error: orient_tools::ToolError) -> Self {
        Self::asked(error.message(), error.help())
    }
}
