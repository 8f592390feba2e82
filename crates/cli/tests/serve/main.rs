//! Tests of the MCP servers as real processes with raw messages: the protocol, the answers, and attacks. `crates/serve/ATTACKS.md`
//! lists all attacks.

mod agent_questions;
mod answers;
mod arguments;
mod attack_table;
mod concurrent_load;
mod damaged_index;
#[path = "../cli/fake_embedding_server.rs"]
#[expect(dead_code, reason = "used in full by the tests of the command")]
mod fake_embedding_server;
mod fences;
mod hostile_repository;
mod http_attacks;
mod http_client;
mod logging;
mod malformed_messages;
mod path_traversal;
mod prompt_injection;
mod protocol_revisions;
mod providers;
mod sampling;
mod sandbox;
mod stdio_client;
mod tasks;
mod web_pages;
mod workspaces;

/// Defines an attack as a test. Its title is a line of the table of attacks.
macro_rules! attack {
    ($name:ident, $title:literal, $body:expr) => {
        #[doc = $title]
        #[test]
        fn $name() {
            $body
        }
    };
}
pub(crate) use attack;
