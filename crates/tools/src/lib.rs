//! The operations of Orient: name, documentation, arguments, answer, text form and examples of each.
//!
//! The command line, its help, the MCP server and the reference page are generated from [`OPERATIONS`]. Every type that is
//! serialised in an answer is declared here. An operation queries a snapshot of the engine and shapes the answer; it knows
//! no terminal, no SQL and no language.

mod agent;
mod answer;
mod arguments;
mod audit;
mod error;
mod error_conversion;
mod graph;
mod history;
mod narrative;
mod operation;
mod operations;
mod reference_page;
mod remote;
mod session;
mod task;
mod text;
mod topic;
mod workspace;

pub use agent::resources::{file_text, handles_like, paths_like, symbol_text};
pub use agent::skill::skill_text;
pub use agent::tool_calls::{
    AgentTool, DEFAULT_TOKENS, MAX_TOKENS, QueueClass, ToolCall, agent_tools, suggest_command, suggest_tool,
};
pub use answer::escaped_json::{write_json, write_json_line};
pub use answer::{AnswerMetadata, Note};
pub use error::{Class, Code, Exit, ToolError};
pub use history::background_history;
pub use narrative::ClientModel;
pub use operation::{Example, Operation, Reply, ReplyResult};
pub use operations::OPERATIONS;
pub use operations::enrich::BackgroundLayers;
pub use orient_enrich::end_all_servers as end_child_processes;
pub use orient_providers::ChatRequest;
pub use reference_page::reference;
pub use remote::own_repository::address_key;
pub use remote::{RemoteAnswer, RemoteQuestion, RemoteServer, RemoteWords};
pub use session::client_id::{client_id, client_of_environment};
pub use session::open_tree::OpenTree;
pub use session::provider_embedding::BackgroundEmbedding;
pub use session::revision::AnsweredRevision;
pub use session::{Session, SessionOptions};
pub use task::guard::{GuardDecision, check_write_target, record_native_read, record_write};
pub use task::record::{AnsweredCall, record_served};
pub use task::served_marks::{MarkCollector, RecordingSink, ServedMarks};
pub use text::diagram::{Diagram, DiagramFormat, DiagramNode, EdgeLine};
pub use text::escape::escape_invisible;
pub use text::number_format::{bytes, count, duration, plural};
pub use text::redaction::{Redactor, redact_json};
pub use text::safe_line::SafeLine;
pub use text::token_estimate::tokens;
pub use text::writer::{Excerpt, OutputMode, OwnText, Style, TextSink, TextWriter};
pub use topic::Topic;
pub use workspace::{RootFilter, distinct_roots};
