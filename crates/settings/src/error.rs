//! Errors in settings. The user can fix all of them, so every message says where the error is and what to write.

use crate::key::Key;
use crate::load::nearest_setting;
use crate::table::keys;
use std::fmt;
use std::path::PathBuf;

/// Why settings could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A settings file exists but cannot be read.
    #[error("cannot read the settings in {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Some settings are invalid: all problems, in the order of reading.
    #[error("{}", join_lines(.0))]
    Invalid(Vec<Problem>),
}

/// One invalid setting or file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is: `.orient.toml:3`, the name of a variable, or a flag.
    pub location: String,
    /// What is wrong.
    pub kind: ProblemKind,
}

/// What is wrong with a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// The file is not TOML.
    Syntax(String),
    /// No setting has this name.
    Unknown {
        /// The name in the source.
        name: String,
        /// The most similar setting, if any is similar enough.
        nearest: Option<String>,
    },
    /// The setting does not accept this value.
    Value {
        /// The setting.
        key: String,
        /// Why not.
        problem: String,
        /// A valid value.
        example: String,
    },
}

impl ProblemKind {
    /// An unknown setting, with the most similar known one.
    pub(crate) fn unknown(name: &str) -> Self {
        Self::Unknown { name: name.to_owned(), nearest: nearest_setting(name) }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.kind)
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(message) => write!(f, "not valid TOML: {message}"),
            Self::Unknown { name, nearest: Some(nearest) } => {
                write!(f, "unknown setting `{name}`; did you mean `{nearest}`?")
            }
            Self::Unknown { name, nearest: None } => {
                let known: Vec<String> = keys().iter().map(Key::path).collect();
                write!(f, "unknown setting `{name}`; known settings: {}", known.join(", "))
            }
            Self::Value { key, problem, example } => {
                write!(f, "{key}: {problem}; example: {example}")
            }
        }
    }
}

fn join_lines(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}
