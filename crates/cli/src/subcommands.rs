//! The table of subcommands that are not operations.

use crate::config::Config;
use crate::{completions_and_man, daemon, guard, serve, setup, team, watch};
use clap::{ArgMatches, Command};
use orient_tools::{Exit, ToolError};

/// A subcommand that is not an operation.
pub(crate) struct Subcommand {
    /// Its arguments and help texts.
    pub(crate) command: fn() -> Command,
    /// Whether it runs until it is stopped, and logs to a file in the store.
    pub(crate) long_running: bool,
    /// Runs it.
    pub(crate) run: fn(Config, &ArgMatches) -> Result<Exit, ToolError>,
}

/// Every subcommand, in the order of the help.
pub(crate) const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand { command: serve::mcp_command, long_running: true, run: serve::mcp },
    Subcommand { command: serve::serve_command, long_running: true, run: serve::serve },
    Subcommand { command: serve::web_command, long_running: true, run: serve::web },
    Subcommand { command: setup::command, long_running: false, run: setup::run },
    Subcommand { command: guard::command, long_running: false, run: guard::run },
    Subcommand { command: watch::command, long_running: true, run: watch::run },
    Subcommand { command: daemon::command, long_running: false, run: daemon::run },
    Subcommand { command: team::command, long_running: false, run: team::run },
    Subcommand {
        command: completions_and_man::completions_command,
        long_running: false,
        run: completions_and_man::completions,
    },
    Subcommand {
        command: completions_and_man::man_command,
        long_running: false,
        run: completions_and_man::man,
    },
];
