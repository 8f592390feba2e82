//! The servers as clients meet them: real processes, raw messages. What is said of the protocol, of answers and of
//! protection is said here, one test each; attacks are also listed in `crates/serve/ATTACKS.md`.

mod answers;
mod arguments;
mod damage;
mod fences;
mod hostile_repository;
mod injection;
mod load;
mod logging;
mod malformed;
#[path = "../cli/model.rs"]
#[expect(dead_code, reason = "the tests of the command need more of it")]
mod model;
mod providers;
mod revisions;
mod stdio;
mod table;
mod traversal;
mod tree;
mod web;
mod web_attacks;

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
