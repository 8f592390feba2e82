//! Errors of language servers and of the consent to them.

use std::io;
use std::path::PathBuf;

/// Why a server is not asked.
#[derive(Debug, thiserror::Error)]
pub enum EnrichError {
    /// The program is not there.
    #[error("{program} is not installed")]
    NotInstalled {
        /// The program.
        program: String,
        /// How to install it.
        install: String,
    },
    /// The program is a part of the repository, whose author must not decide what runs.
    #[error("{} is inside the repository and is not started", .0.display())]
    InsideRepository(PathBuf),
    /// A file that the server needs is missing.
    #[error("{server} needs {file} beside it")]
    Incomplete {
        /// The server.
        server: String,
        /// The file.
        file: String,
        /// How to install it.
        install: String,
    },
    /// The user has not allowed it.
    #[error("{server} is not allowed for this repository")]
    NotAllowed {
        /// The server.
        server: String,
    },
    /// The user allowed something else under this name.
    #[error("{server} is not what was allowed: {change}")]
    Changed {
        /// The server.
        server: String,
        /// What is different.
        change: String,
    },
    /// No such server is known.
    #[error("no server is called {name:?}; known servers: {known}")]
    UnknownServer {
        /// The name.
        name: String,
        /// All names.
        known: String,
    },
    /// A command of the settings cannot be used.
    #[error("enrich.servers: {0}")]
    BadCommand(String),
    /// The consent cannot be read or written.
    #[error("the consent at {} cannot be written: {source}", path.display())]
    Consent {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The program cannot be started.
    #[error("{program} cannot be started: {source}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
}
