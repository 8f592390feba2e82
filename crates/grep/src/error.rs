//! Errors in the arguments of a search.

use thiserror::Error;

/// Why a search cannot start. The user can fix it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GrepError {
    /// The pattern is not valid.
    #[error("{message}")]
    Pattern {
        /// What is wrong, and where.
        message: String,
        /// What to do; may be empty.
        hint: &'static str,
    },
    /// The encoding is unknown.
    #[error("there is no encoding `{0}`")]
    Encoding(String),
}

impl GrepError {
    pub(crate) fn pattern(error: &grep_regex::Error) -> Self {
        let message = error.to_string();
        let hint = if message.contains("look-around") || message.contains("backreferences") {
            "look-around and backreferences are not part of this regex dialect"
        } else if message.contains("is not allowed in a regex") && message.contains("\\n") {
            "search across lines with -U"
        } else if message.contains("is not allowed in a regex") {
            "search binary files as text with -a"
        } else {
            "search for plain text with -F"
        };
        Self::Pattern { message, hint }
    }
}
