//! The command line as its users meet it. Each test is a page of the manual: what is typed, and what comes back.

mod context;
mod errors;
mod fake_embedding_server;
mod freshness;
mod graph;
mod grep;
mod hostile_files;
mod ignore_files;
mod impact_tests;
mod interactive_terminal;
mod json;
mod logging;
mod lookup_commands;
mod nested_repositories;
mod output_and_help;
mod provider_consent;
mod provider_search;
mod sandbox;
mod search;
mod settings;
#[cfg(target_os = "linux")]
mod stopped_process;
mod subcommands;
#[cfg(unix)]
mod unreadable_files;
mod unused;
