//! Errors of the team server, by what the operator can do about them.

use orient_engine::EngineError;
use orient_tools::{Code, ToolError};
use postgres::error::SqlState;
use std::io;

/// Why work of the team server failed.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The request is wrong.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do instead; may be empty.
        hint: String,
    },
    /// There is no such repository, or the caller may not read it: the answer is the same.
    #[error("there is no repository `{0}`")]
    UnknownRepository(String),
    /// The database cannot be reached.
    #[error("the database cannot be reached: {0}")]
    Unreachable(String),
    /// The schema is that of another version.
    #[error("the database has schema version {found}, and this program needs {known}")]
    Schema {
        /// The version in the database.
        found: i32,
        /// The version of this program.
        known: i32,
    },
    /// A statement failed.
    #[error("the database failed: {0}")]
    Database(String),
    /// The database has no space left.
    #[error("the database has no space left: {0}")]
    Full(String),
    /// All connections to the database are in use.
    #[error("all connections to the database are in use")]
    Overloaded,
    /// The index of a repository is not on this node yet.
    #[error("this node is still preparing {0}")]
    Preparing(String),
    /// Git failed.
    #[error("git {action} failed: {reason}")]
    Git {
        /// The subcommand.
        action: &'static str,
        /// What it printed, or how it ended.
        reason: String,
    },
    /// The job belongs to another worker now.
    #[error("the lease of the job has ended")]
    LeaseLost,
    /// A stored content is missing or damaged.
    #[error("a stored content is damaged: {0}")]
    Damaged(String),
    /// Indexing failed.
    #[error("{0}")]
    Index(String),
    /// A file of the data directory cannot be read or written.
    #[error("{what}: {source}")]
    Io {
        /// The action.
        what: String,
        /// The error of the system.
        source: io::Error,
    },
}

impl TeamError {
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: hint.into() }
    }

    /// The same error for another caller who waits for the same work.
    pub(crate) fn shared(&self) -> Self {
        match self {
            Self::UnknownRepository(name) => Self::UnknownRepository(name.clone()),
            Self::Unreachable(reason) => Self::Unreachable(reason.clone()),
            Self::Full(reason) => Self::Full(reason.clone()),
            Self::Overloaded => Self::Overloaded,
            other => Self::Index(other.to_string()),
        }
    }

    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}

impl From<postgres::Error> for TeamError {
    fn from(error: postgres::Error) -> Self {
        // The message of the server; that of the driver is only "db error".
        let text =
            error.as_db_error().map_or_else(|| error.to_string(), |refused| refused.message().to_owned());
        if error.as_db_error().is_none() || error.is_closed() {
            return Self::Unreachable(text);
        }
        if error.code() == Some(&SqlState::DISK_FULL) {
            return Self::Full(text);
        }
        // PostgreSQL stores no NUL: only what a caller typed has one.
        if error.code() == Some(&SqlState::CHARACTER_NOT_IN_REPERTOIRE) {
            return Self::usage("a name or a question must not contain a NUL character", "");
        }
        Self::Database(text)
    }
}

impl From<EngineError> for TeamError {
    fn from(error: EngineError) -> Self {
        Self::Index(error.to_string())
    }
}

impl From<ToolError> for TeamError {
    fn from(error: ToolError) -> Self {
        Self::Index(error.message().to_owned())
    }
}

impl From<TeamError> for ToolError {
    fn from(error: TeamError) -> Self {
        let message = error.to_string();
        match error {
            TeamError::Usage { hint, .. } => Self::new(Code::BadArgument, message).hint(hint),
            TeamError::UnknownRepository(_) => Self::new(Code::NotFound, message),
            TeamError::Unreachable(_) | TeamError::Overloaded | TeamError::Preparing(_) => {
                Self::new(Code::Busy, message).hint("try again in a moment")
            }
            TeamError::Full(_) => Self::new(Code::Io, message)
                .hint("nothing was changed; free or add space on the database server, and the work goes on"),
            TeamError::Schema { .. } => Self::new(Code::Refused, message)
                .hint("`orient team init` migrates it; newer schemas need a newer program"),
            _ => Self::new(Code::Io, message),
        }
    }
}
