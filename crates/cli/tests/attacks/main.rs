//! What a hostile repository, a planted store or a full disk can make the program do. Each attack is one line: what is
//! tried, and what must come of it. They are listed in `crates/serve/ATTACKS.md` with those on the server.
#![cfg(unix)]
#![expect(clippy::print_stderr, reason = "a test that cannot run here says so")]

mod full_disk;
mod hostile_settings;
mod permissions;
#[cfg(target_os = "linux")]
mod races;
mod sandbox;
mod symlinks;

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
