//! Questions to a language server and its answers, as far as the index and the client of the server share them.

use crate::{ContentHash, RepoPath};
use std::path::PathBuf;

/// The questions about one content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileQuestions {
    /// The file.
    pub path: RepoPath,
    /// Its language.
    pub language: String,
    /// The content that the questions are about.
    pub hash: ContentHash,
    /// The questions, by position.
    pub questions: Vec<NameQuestion>,
}

/// A question about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NameQuestion {
    /// The offset of the name.
    pub at: u32,
    /// Its line, counted from 0.
    pub line: u32,
    /// Its offset in the line, in bytes.
    pub column: u32,
    /// What is asked.
    pub asks: AskedRelation,
}

/// What is asked about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AskedRelation {
    /// Where it is defined.
    Definition,
    /// What implements it.
    Implementations,
}

/// The answers about one content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileAnswers {
    /// The file.
    pub path: RepoPath,
    /// The content that the answers are about.
    pub hash: ContentHash,
    /// How completely the server answered.
    pub status: ServiceStatus,
    /// The answers; a question that was not answered is missing.
    pub answers: Vec<NameAnswer>,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameAnswer {
    /// The question.
    pub question: NameQuestion,
    /// The places that the server named, in its order; empty if it knows none.
    pub places: Vec<ServicePlace>,
}

/// A place that a language server names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServicePlace {
    /// The absolute path of the file.
    pub file: PathBuf,
    /// The line, counted from 0.
    pub line: u32,
    /// The character in the line, counted from 0.
    pub character: u32,
    /// Whether characters are bytes; otherwise they are UTF-16 code units.
    pub in_bytes: bool,
}

/// How completely a language server described a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServiceStatus {
    /// Every question was answered.
    #[default]
    Full,
    /// Some questions were not: our own graph stands there.
    SyntacticOnly(ServiceError),
    /// The file could not be asked about.
    Failed(ServiceError),
}

impl ServiceStatus {
    /// The word that users see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::SyntacticOnly(_) => "syntactic_only",
            Self::Failed(_) => "failed",
        }
    }

    /// The error behind it.
    pub fn error(self) -> Option<ServiceError> {
        match self {
            Self::Full => None,
            Self::SyntacticOnly(error) | Self::Failed(error) => Some(error),
        }
    }

    /// As a number, for storage.
    pub fn to_number(self) -> u32 {
        match self {
            Self::Full => 0,
            Self::SyntacticOnly(error) => 1 + error as u32,
            Self::Failed(error) => 1 + ServiceError::ALL.len() as u32 + error as u32,
        }
    }

    /// The inverse of [`Self::to_number`].
    pub fn from_number(number: u32) -> Option<Self> {
        let errors = ServiceError::ALL.len();
        let at = match number as usize {
            0 => return Some(Self::Full),
            number => number - 1,
        };
        match at.checked_sub(errors) {
            None => ServiceError::ALL.get(at).map(|&error| Self::SyntacticOnly(error)),
            Some(at) => ServiceError::ALL.get(at).map(|&error| Self::Failed(error)),
        }
    }
}

/// Why a language server did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ServiceError {
    /// The server does not run, ended, or does not answer such questions.
    SemanticUnavailable = 0,
    /// It could not load the project.
    ProjectLoadFailed = 1,
    /// It would have run a plugin or another program of the repository.
    PluginBlocked = 2,
    /// It took too long.
    Timeout = 3,
    /// It was ended because of its memory.
    OomRestart = 4,
}

impl ServiceError {
    /// All of them, by number.
    pub const ALL: &'static [Self] = &[
        Self::SemanticUnavailable,
        Self::ProjectLoadFailed,
        Self::PluginBlocked,
        Self::Timeout,
        Self::OomRestart,
    ];

    /// The word that users and programs see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SemanticUnavailable => "semantic_unavailable",
            Self::ProjectLoadFailed => "project_load_failed",
            Self::PluginBlocked => "plugin_blocked",
            Self::Timeout => "timeout",
            Self::OomRestart => "oom_restart",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_a_number_of_its_own() {
        let statuses: Vec<_> =
            (0..11).map(|number| ServiceStatus::from_number(number).expect("known")).collect();
        for (number, status) in statuses.iter().enumerate() {
            assert_eq!(status.to_number(), number as u32, "{status:?}");
        }
        assert_eq!(ServiceStatus::from_number(11), None);
    }
}
