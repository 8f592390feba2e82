//! Language servers as supervised child processes, asked about names that our own resolution cannot prove.
//!
//! This is the only crate that starts programs of other people. A server runs only with a [`Permission`], which follows from the user's consent
//! to exactly that program, its arguments and its version, for one repository. It gets an environment of a few variables, limited resources and a
//! process group of its own, which is ended with the run. Everything it sends is untrusted: sizes and times are bounded, and what is
//! malformed ends the server and not the run.
//!
//! - `server_table` is what is known about servers, as data;
//! - `consent` is what the user allowed;
//! - `framing`, `message` and `location` read and write the protocol;
//! - `child_process`, `memory` and `connection` run one server;
//! - `supervisor` starts it, ends it and starts it again; `file_questions` asks it about files.

mod child_process;
mod connection;
mod consent;
mod environment;
mod error;
mod file_questions;
mod framing;
mod location;
mod memory;
mod message;
mod program;
mod server_replies;
mod server_table;
mod supervisor;
mod version;

pub use child_process::end_all as end_all_servers;
pub use consent::{AllowedServer, Permission, allow, allowed, deny, permission};
pub use error::EnrichError;
pub use file_questions::{FileOutcome, RunObserver, ServerRun, ask_files};
pub use framing::{ProtocolError, read_message};
pub use location::places;
pub use message::Incoming;
pub use program::{Program, find};
pub use server_table::{Server, servers};
pub use supervisor::Limits;
pub use version::version_of;
