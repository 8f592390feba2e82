//! Which clients there are, where each keeps its configuration, and what that must say to start us.
//!
//! Text in, text out: an edit adds one entry and leaves every other byte as it was, comments and formatting included, and
//! can be taken back. Reads and writes no file.

mod clients;
mod diff;
mod error;
mod jsonc;
mod plan;
mod splice;
mod tables;

pub use clients::{CLIENTS, Client, Format, Scope, Surroundings, System};
pub use diff::diff;
pub use error::Refusal;
pub use plan::{Entry, NAME, Planned, Receipt, Registered, plan, registered, snippet, undo};
