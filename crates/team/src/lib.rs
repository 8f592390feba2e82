//! The team server: many repositories for many people.
//!
//! PostgreSQL has all shared state: repositories, branches, contents, packages, jobs, tokens, the audit log. Workers mirror
//! repositories and publish generations of them; nodes answer questions. Both index with the same engine as a user's machine, from the
//! same tree, so that answers about one repository are those of a local index of the commit. What PostgreSQL knows about contents
//! selects the repositories that may have an answer; their indexes give it.
//!
//! The only crate that contains PostgreSQL's SQL, and the only one that runs git.

mod access;
mod artefacts;
mod audit;
mod backup_check;
mod branch_entries;
mod catalogue;
mod connection;
mod contents;
mod data_directory;
mod database;
mod decompressed_contents;
mod error;
mod facts_export;
mod identities;
mod indexes;
mod jobs;
mod migrations;
mod mirror;
mod node;
mod open_trees;
mod postgres_tls;
mod publication;
mod published_tree;
mod source;
mod tokens;
mod word_postings;
mod worker;

pub use backup_check::BackupReport;
pub use catalogue::BranchStatus;
pub use data_directory::DataDirectory;
pub use database::{Database, DatabaseLimits};
pub use error::TeamError;
pub use identities::GroupLine;
pub use node::{Node, NodeOptions};
pub use source::Source;
pub use tokens::{DEFAULT_RATE, TokenLine, TokenScope};
pub use worker::{WorkOutcome, Worker, WorkerOptions};
