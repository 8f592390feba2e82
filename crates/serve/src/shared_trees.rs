//! Trees that many users share. Each question reaches the trees that its caller may read.

use crate::identity_provider::Identity;
use orient_tools::{OpenTree, Operation, RootFilter, ToolError};
use std::fs::File;
use std::time::Duration;

/// What a server has published for machines that index a repository themselves. It may block.
pub trait PublishedFacts {
    /// The facts of a repository that the caller may read, by what identifies it ([`SharedQuestion::own`]) and the commit that the
    /// caller has; `None` if there is none.
    fn facts(&self, caller: &Caller, keys: &[String], head: &str) -> Result<Option<FactsFile>, ToolError>;
}

/// A file of facts.
pub struct FactsFile {
    /// The open file.
    pub file: File,
    /// The repository, and the branch if it is not the default one.
    pub label: String,
}

/// The trees of a server, and the gate before them. All methods may block.
pub trait SharedTrees: PublishedFacts + Send + Sync {
    /// Checks the credential of a request and counts it.
    fn authenticate(&self, credential: &Credential<'_>) -> Result<Authentication, ToolError>;
    /// Opens the trees that a question of a caller is about. A tree that the caller may not read does not exist for it.
    fn open(&self, caller: &Caller, question: &SharedQuestion<'_>) -> Result<OpenedTrees, ToolError>;
    /// The repositories that a caller may read, by name.
    fn repositories(&self, caller: &Caller) -> Result<Vec<RepositoryLine>, ToolError>;
    /// Records an answered question.
    fn record(&self, caller: &Caller, answered: &AnsweredQuestion<'_>);
    /// Asks for a repository to be compared with its source, if `is_proven` says that the sender knows its secret. Returns whether it
    /// does: false for an unknown repository too, after the same work.
    fn notify(&self, repository: &str, is_proven: &dyn Fn(&[u8]) -> bool) -> Result<bool, ToolError>;
    /// Whether questions can be answered now.
    fn is_ready(&self) -> bool;
    /// Counters in the text format of Prometheus.
    fn metrics(&self) -> String;
}

/// What a request proves who sent it with.
pub enum Credential<'c> {
    /// A token of this server.
    Token(&'c str),
    /// A person that the identity provider vouches for.
    Identity(&'c Identity),
}

/// The result of a credential's check.
pub enum Authentication {
    /// It is valid.
    Accepted(Caller),
    /// It is unknown, expired or revoked.
    Rejected,
    /// It has sent too many requests.
    Limited {
        /// How long to wait.
        retry_after: Duration,
    },
}

/// The owner of a valid token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The number of the token.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Whether it may read the metrics.
    pub is_admin: bool,
}

/// What a question is about.
pub struct SharedQuestion<'q> {
    /// The repository that it names, as `name` or `name@branch`.
    pub repository: Option<&'q str>,
    /// The operation that answers it.
    pub operation: &'static Operation,
    /// What a repository must contain to contribute.
    pub filter: RootFilter,
    /// What identifies repositories that the caller answers for itself, and that do not contribute: `address:` and a hash
    /// ([`orient_tools::address_key`]), `commit:` and an id.
    pub own: &'q [String],
}

/// The trees of a question.
pub struct OpenedTrees {
    /// The trees with the names of their repositories; never empty.
    pub trees: Vec<(String, OpenTree)>,
    /// Whether paths are shown below the names.
    pub is_labelled: bool,
    /// Whether names mean symbols of the first tree only.
    pub only_own_symbols: bool,
    /// What the answer leaves out: it is partial.
    pub left_out: Vec<String>,
}

/// A repository as a caller sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryLine {
    /// Its name.
    pub name: String,
    /// A retained branch.
    pub branch: String,
    /// The published commit.
    pub commit: String,
    /// Number of files.
    pub files: u64,
}

/// A question and its outcome, for the audit log.
pub struct AnsweredQuestion<'q> {
    /// The operation.
    pub operation: &'static str,
    /// What it was about.
    pub subject: &'q str,
    /// The repositories that were asked.
    pub repositories: &'q [String],
    /// `ok`, or the word of the error.
    pub outcome: &'static str,
    /// How long it took.
    pub took: Duration,
}
