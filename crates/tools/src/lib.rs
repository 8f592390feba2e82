//! The one table of operations: name, documentation, arguments, answer, text form, examples.
//!
//! The command line, its help and JSON come from here, and so will every other surface; what is serialised anywhere is
//! declared here. An operation asks a snapshot of the engine and shapes the answer: it knows no terminal, no SQL and no
//! language.

mod amount;
mod answer;
mod audit;
mod diff;
mod embedding;
mod error;
mod faults;
mod forgive;
mod found;
mod graph;
mod groups;
mod host;
mod inert;
mod json;
mod log_report;
mod meaning;
mod offer;
mod ops;
mod page;
mod paths;
mod phrase;
mod reference;
mod resources;
mod session;
mod summary;
mod symbol;
mod table;
mod tokens;
mod tool;
mod unread;
mod visible;
mod words;

pub use amount::{bytes, count, duration};
pub use embedding::Background;
pub use error::{Class, Code, Exit, ToolError};
pub use host::Host;
pub use inert::Inert;
pub use json::{write_json, write_json_line};
pub use offer::{MOST_TOKENS, Offer, Question, Queue, USUAL_TOKENS, offered_as, offers};
pub use page::{Excerpt, Ink, Look, OwnWords, Page, Tone};
pub use reference::reference;
pub use resources::{file_text, handles_like, paths_like, symbol_text};
pub use session::{Session, Setup};
pub use table::TOOLS;
pub use tokens::tokens;
pub use tool::{Around, Example, Replies, Reply, Tool};
pub use visible::visible;
