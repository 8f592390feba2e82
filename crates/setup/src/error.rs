//! Why a configuration file cannot be edited.

use thiserror::Error;

/// Why a configuration file cannot be edited. The file stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EditError {
    /// The file has a syntax error.
    #[error("line {line}, column {column}: {message}; fix the file, then try again")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// What the parser expected.
        message: String,
    },
    /// The file is valid, but something other than a table is where the client looks for its servers.
    #[error("{path} is not a table of servers; fix the file, then try again")]
    NotATable {
        /// The keys that lead to it.
        path: String,
    },
    /// The file is valid, but written in a form that an edit cannot handle.
    #[error("{message}; add the entry by hand: `orient setup --print` shows it")]
    Unsupported {
        /// What the edit cannot handle.
        message: String,
    },
}

impl EditError {
    /// A syntax error at a byte offset.
    pub(crate) fn malformed(text: &str, offset: usize, message: &str) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let mut chars = message.chars();
        let lower = chars.next().map(|first| first.to_lowercase().chain(chars).collect());
        Self::Malformed {
            line: 1 + before.matches('\n').count(),
            column: 1 + before[line_start..].chars().count(),
            message: lower.unwrap_or_default(),
        }
    }
}
