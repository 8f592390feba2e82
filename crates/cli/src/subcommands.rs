//! The table of subcommands that are not operations.

use crate::config::Config;
use crate::{completions_and_man, daemon, demo, guard, help, serve, setup, team, watch};
use clap::{ArgMatches, Command};
use orient_tools::{Exit, ToolError, Topic};

/// A subcommand that is not an operation.
pub(crate) struct Subcommand {
    /// Its arguments and help texts.
    pub(crate) command: fn() -> Command,
    /// Where the help lists it.
    pub(crate) topic: Topic,
    /// Whether it runs until it is stopped, and logs to a file in the store.
    pub(crate) long_running: bool,
    /// Runs it.
    pub(crate) run: fn(Config, &ArgMatches) -> Result<Exit, ToolError>,
}

impl Subcommand {
    /// One that ends by itself.
    const fn of(
        topic: Topic,
        command: fn() -> Command,
        run: fn(Config, &ArgMatches) -> Result<Exit, ToolError>,
    ) -> Self {
        Self { command, topic, long_running: false, run }
    }

    /// The same, running until it is stopped.
    const fn long_running(mut self) -> Self {
        self.long_running = true;
        self
    }
}

/// Every subcommand, in the order of the help.
pub(crate) const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand::of(Topic::Serve, setup::command, setup::run),
    Subcommand::of(Topic::Serve, serve::mcp_command, serve::mcp).long_running(),
    Subcommand::of(Topic::Serve, serve::web_command, serve::web).long_running(),
    Subcommand::of(Topic::Serve, serve::serve_command, serve::serve).long_running(),
    Subcommand::of(Topic::Serve, team::command, team::run),
    Subcommand::of(Topic::Serve, watch::command, watch::run).long_running(),
    Subcommand::of(Topic::Serve, daemon::command, daemon::run),
    Subcommand::of(Topic::More, demo::command, demo::run),
    Subcommand::of(Topic::More, guard::command, guard::run),
    Subcommand::of(Topic::More, completions_and_man::completions_command, completions_and_man::completions),
    Subcommand::of(Topic::More, completions_and_man::man_command, completions_and_man::man),
    Subcommand::of(Topic::More, help::command, help::run),
];
