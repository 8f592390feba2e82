//! What can be wrong with what is asked for.

use thiserror::Error;

/// Why there can be no search. The user must mend it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GrepError {
    /// The pattern is not one.
    #[error("{message}")]
    Pattern {
        /// What is wrong with it, with the place.
        message: String,
        /// What to do about it; may be empty.
        hint: &'static str,
    },
    /// There is no such encoding.
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
