//! The errors of a server that cannot start or continue.

use std::io;
use thiserror::Error;

/// Errors by what the user can do about them.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The arguments are wrong.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do instead; may be empty.
        hint: String,
    },
    /// The system refused a thread, port or file.
    #[error("{what}: {source}")]
    System {
        /// The failed action.
        what: String,
        /// The error of the system.
        source: io::Error,
    },
}

impl ServeError {
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: hint.into() }
    }

    pub(crate) fn system(what: impl Into<String>, source: io::Error) -> Self {
        Self::System { what: what.into(), source }
    }
}

impl From<orient_tools::ToolError> for ServeError {
    fn from(error: orient_tools::ToolError) -> Self {
        Self::usage(error.message(), error.help())
    }
}
