//! Registers this program as an MCP server in the configuration files of agents and editors.
//!
//! A pure function of text: it reads and writes no file. An edit adds or removes one entry and keeps every other byte,
//! including comments and formatting, and can be undone exactly.
//!
//! ```
//! use orient_setup::{Client, Plan, ServerEntry, plan};
//!
//! let cursor = Client::by_id("cursor").expect("in the table");
//! let before = "{ \"mcpServers\": { \"a\": {} } } // mine\n";
//! let Ok(Plan::Edit { text, .. }) = plan(cursor, before, &ServerEntry::new("orient")) else { panic!() };
//! let added = ", \"orient\": { \"command\": \"orient\", \"args\": [\"mcp\"] }";
//! assert_eq!(text, format!("{{ \"mcpServers\": {{ \"a\": {{}}{added} }} }} // mine\n"));
//! ```

mod clients;
mod diff;
mod edit_jsonc;
mod edit_toml;
mod error;
mod guard_hooks;
mod plan;

pub use clients::{CLIENTS, Client, ConfigDirs, Format, Os, Scope};
pub use diff::diff;
pub use error::EditError;
pub use guard_hooks::{GUARD_HOOKS, GuardHooks};
pub use plan::{NAME, Plan, ServerEntry, TextEdit, plan, registered, snippet, undo};
