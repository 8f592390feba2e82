//! The servers as clients meet them: real processes, raw messages. What is said of the protocol, of answers and of
//! protection is said here, one test each; attacks are also listed in `crates/serve/ATTACKS.md`.

mod answers;
mod arguments;
mod attack_table;
mod concurrent_load;
mod damaged_index;
#[path = "../cli/fake_embedding_server.rs"]
#[expect(dead_code, reason = "the tests of the command need more of it")]
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
mod sandbox;
mod stdio_client;

/// One attack is one test. The words say what is tried and what must come of it; they are the lines of the table.
macro_rules! attack {
    ($name:ident, $words:literal, $body:expr) => {
        #[doc = $words]
        #[test]
        fn $name() {
            $body
        }
    };
}
pub(crate) use attack;
