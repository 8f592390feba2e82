//! The command line as its users meet it. Each test is a page of the manual: what is typed, and what comes back.

mod chores;
mod context;
mod errors;
mod fresh;
mod graph;
mod grep;
mod json;
mod people;
mod questions;
mod search;
mod settings;
mod terminal;
mod tree;
