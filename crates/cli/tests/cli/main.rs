//! The command line as its users meet it. Each test is a page of the manual: what is typed, and what comes back.

mod chores;
mod context;
mod embed;
mod errors;
mod fresh;
mod graph;
mod grep;
mod hostile;
mod ignore_files;
mod json;
mod logging;
mod model;
mod nested;
mod people;
mod providers;
mod questions;
mod search;
mod settings;
#[cfg(target_os = "linux")]
mod stuck;
mod terminal;
mod tested;
mod tree;
#[cfg(unix)]
mod unread;
mod unused;
