//! Why a configuration is left alone.

use thiserror::Error;

/// Why a configuration is not edited. The file stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// It cannot be read as what it should be.
    #[error("line {line}: {what}; mend it first, then try again")]
    Broken {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A part of it is not what the client wants there.
    #[error("{path} is not a table of servers; mend it first, then try again")]
    NotATable {
        /// The keys that lead to it.
        path: String,
    },
    /// It can be read, but not edited without touching other parts.
    #[error("{what}; add the entry by hand, `orient setup --print` shows it")]
    Unusual {
        /// What is unusual.
        what: String,
    },
}
