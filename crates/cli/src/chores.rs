//! What the command does beside asking: one line each. The operations are in their own table.

use crate::config::Config;
use crate::{serve, setup, shell, watch};
use clap::{ArgMatches, Command};
use orient_tools::{Exit, ToolError};

/// A subcommand that is no operation.
pub(crate) struct Chore {
    /// Its arguments and help.
    pub(crate) command: fn() -> Command,
    /// Whether it stays until it is told to end, and logs to the store.
    pub(crate) stays: bool,
    /// Does it.
    pub(crate) run: fn(Config, &ArgMatches) -> Result<Exit, ToolError>,
}

/// Every chore, in the order of the help.
pub(crate) const CHORES: &[Chore] = &[
    Chore { command: serve::mcp_command, stays: true, run: serve::mcp },
    Chore { command: serve::serve_command, stays: true, run: serve::serve },
    Chore { command: setup::command, stays: false, run: setup::run },
    Chore { command: watch::command, stays: true, run: watch::run },
    Chore { command: shell::completions_command, stays: false, run: shell::completions },
    Chore { command: shell::man_command, stays: false, run: shell::man },
];
