//! What can be wrong with settings. All of it is the user's to mend, so every message says where and how.

use crate::key::Key;
use crate::load::nearest_setting;
use crate::table::keys;
use std::fmt;
use std::path::PathBuf;

/// Why settings could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A file is there but cannot be read.
    #[error("cannot read the settings in {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Something in them is not as it should be; all that was found, in the order of reading.
    #[error("{}", listed(.0))]
    Invalid(Vec<Problem>),
}

/// One thing that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it was written: `.orient.toml:3`, the name of a variable, a flag.
    pub place: String,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The file is not TOML.
    Syntax(String),
    /// There is no such setting.
    Unknown {
        /// As it was written.
        name: String,
        /// What was meant, if anything is near.
        nearest: Option<String>,
    },
    /// The setting does not take this value.
    Value {
        /// The setting.
        key: String,
        /// Why not.
        problem: String,
        /// What to write instead.
        example: String,
    },
}

impl Fault {
    /// There is no setting of this name.
    pub(crate) fn unknown(name: &str) -> Self {
        Self::Unknown { name: name.to_owned(), nearest: nearest_setting(name) }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.fault)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(message) => write!(f, "not valid TOML: {message}"),
            Self::Unknown { name, nearest: Some(nearest) } => {
                write!(f, "unknown setting `{name}`; did you mean `{nearest}`?")
            }
            Self::Unknown { name, nearest: None } => {
                let known: Vec<String> = keys().iter().map(Key::path).collect();
                write!(f, "unknown setting `{name}`; there are {}", known.join(", "))
            }
            Self::Value { key, problem, example } => {
                write!(f, "{key}: {problem}; write for example {example}")
            }
        }
    }
}

fn listed(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}
