//! Tests of the command line as a real process: arguments in, output out.

mod at_revision;
mod broken_uses;
mod completeness;
mod context;
#[cfg(target_os = "linux")]
mod daemon;
mod demo;
mod endpoints;
mod errors;
mod fake_embedding_server;
mod freshness;
mod graph;
mod grep;
mod history;
mod hostile_files;
mod ignore_files;
mod impact_tests;
mod interactive_terminal;
mod json;
mod language_servers;
mod logging;
mod lookup_commands;
mod narrative;
mod nested_repositories;
mod output_and_help;
mod portable_index;
mod provider_consent;
mod provider_search;
mod sandbox;
mod scip_indexes;
mod search;
mod settings;
#[cfg(target_os = "linux")]
mod stopped_process;
mod subcommands;
mod surface;
#[cfg(unix)]
mod unreadable_files;
mod unused;
mod workspaces;
