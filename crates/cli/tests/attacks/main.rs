//! Attacks on the command: hostile repositories, planted stores, full disks. The title of each attack says what is tried and what
//! must happen; `crates/serve/ATTACKS.md` lists all of them.
#![cfg(unix)]
#![expect(clippy::print_stderr, reason = "a test that cannot run here reports that")]

mod algorithmic_complexity;
mod full_disk;
mod history_bombs;
mod hostile_settings;
mod permissions;
#[cfg(target_os = "linux")]
mod races;
mod repository_files;
mod sandbox;
mod shortages;
mod symlinks;

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
