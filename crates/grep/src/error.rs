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
    pub(crate) fn pattern(error: &grep_regex::Error, patterns: &[String]) -> Self {
        let message = error.to_string();
        let hint = if patterns.iter().any(|pattern| looks_like_glob(pattern)) {
            GLOB_HINT
        } else if message.contains("look-around") || message.contains("backreferences") {
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

/// What to do about a pattern that looks like a glob.
pub const GLOB_HINT: &str = "this looks like a glob, not a regular expression: -g restricts a search to matching files, and the list of \
                             files takes globs";

/// Whether a pattern looks like a glob for files: `*.go`, `src/**/*.ts`, `test_*.py`. A regular expression that could be read as
/// one of these is rare and would have `.*` instead.
pub fn looks_like_glob(pattern: &str) -> bool {
    let of_a_path =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '*' | '?' | '{' | '}' | ',');
    let ends_with_extension = pattern.rsplit_once("*.").is_some_and(|(_, extension)| {
        (1..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    pattern.contains('*')
        && !pattern.contains(".*")
        && pattern.chars().all(of_a_path)
        && (pattern.starts_with("*.")
            || pattern.starts_with("**")
            || pattern.contains("/*")
            || ends_with_extension)
}

#[cfg(test)]
mod tests {
    use super::looks_like_glob;

    #[test]
    fn globs_are_told_from_regular_expressions() {
        for glob in ["*.go", "**/*.ts", "src/**/*.ts", "test_*.py", "*.{js,ts}", "docs/*"] {
            assert!(looks_like_glob(glob), "{glob}");
        }
        for regex in ["fn .*", "a*b", "foo.*bar", r"\w*", "x*", "[a-z]*.go$", "*args", "plain"] {
            assert!(!looks_like_glob(regex), "{regex}");
        }
    }
}
