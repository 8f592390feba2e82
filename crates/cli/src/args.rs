//! The command line as it was typed: checked, and nothing more. Never looks at the machine.

use crate::chores::{CHORES, Chore};
use clap::builder::PossibleValuesParser;
use clap::{ArgAction, ArgMatches, Args as _, Command, FromArgMatches};
use orient_tools::{Exit, TOOLS, Tool};
use std::path::PathBuf;

/// What was typed.
pub(crate) struct Args {
    /// The flags every command takes.
    pub(crate) globals: Globals,
    /// What to do.
    pub(crate) asked: Asked,
    /// Its own arguments.
    pub(crate) matches: ArgMatches,
}

/// What a subcommand means.
pub(crate) enum Asked {
    /// Ask an operation.
    Tool(&'static Tool),
    /// Do something else.
    Chore(&'static Chore),
}

/// The flags every command takes.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Globals {
    /// Answer as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// The folder to work on instead of the one you are in
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// The folder to keep indexes in
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// Make a setting: index.threads=2
    #[arg(long, global = true, value_name = "SECTION.KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true,
          value_parser = PossibleValuesParser::new(["auto", "always", "never"]))]
    pub(crate) color: String,
    /// Do not page what is longer than the screen
    #[arg(long, global = true)]
    pub(crate) no_pager: bool,
    /// No progress and no remarks, only the answer and errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Answer from the index as it is, without catching up with the files
    #[arg(long, global = true)]
    pub(crate) no_refresh: bool,
    /// Index a home or system folder after all; must be given twice
    #[arg(long, global = true, action = ArgAction::Count)]
    pub(crate) force: u8,
}

/// Reads the command line; ends the process for help, version and mistakes.
pub(crate) fn parse() -> Args {
    let matches = command().get_matches();
    let globals = Globals::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let (name, own) = matches.subcommand().expect("clap asks for a subcommand");
    let chore = || CHORES.iter().find(|chore| (chore.command)().get_name() == name).map(Asked::Chore);
    let tool = TOOLS.iter().find(|tool| tool.name == name).map(Asked::Tool);
    let asked = tool.or_else(chore).expect("every subcommand is from a table");
    Args { globals, asked, matches: own.clone() }
}

pub(crate) fn command() -> Command {
    let examples = format!("Examples:{}", examples());
    let mut exits = String::new();
    for exit in Exit::ALL {
        exits = format!("{exits}\n  {:>3}  {}", *exit as u8, exit.meaning());
    }
    let command = Command::new("orient")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .max_term_width(110)
        .subcommands(TOOLS.iter().map(Tool::command))
        .subcommands(CHORES.iter().map(|chore| (chore.command)()));
    Globals::augment_args(command)
        .about("Knows your code: an exact and always fresh index of the folder you are in")
        .long_about(
            "Knows your code: an exact and always fresh index of the folder you are in.\n\n\
             No set-up: the first question indexes the folder, later ones catch up with what changed. \
             Nothing leaves the machine, and nothing is written into the repository.",
        )
        .after_help(format!("{examples}\n\nMore with `orient COMMAND --help`."))
        .after_long_help(format!("{examples}\n\nExit codes:{exits}"))
}

/// The commonest use of every operation.
fn examples() -> String {
    let first: Vec<_> = TOOLS.iter().filter_map(|tool| tool.examples.first()).collect();
    let width = first.iter().map(|example| example.command.len()).max().unwrap_or(0);
    let mut lines = String::new();
    for example in first {
        lines = format!("{lines}\n  orient {:width$}  {}", example.command, example.about);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn every_example_of_the_table_is_understood() {
        for tool in TOOLS {
            for example in tool.examples {
                let words = example.command.split(' ').map(|word| word.trim_matches('\''));
                let typed = std::iter::once("orient").chain(words);
                if let Err(error) = command().try_get_matches_from(typed) {
                    panic!("{}: {error}", example.command);
                }
            }
        }
    }

    #[test]
    fn global_flags_stand_anywhere() {
        for line in ["orient --json status", "orient status --json"] {
            let matches = command().try_get_matches_from(line.split(' ')).expect(line);
            assert!(Globals::from_arg_matches(&matches).expect(line).json);
        }
    }
}
