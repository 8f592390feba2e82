//! The command line as it was typed: checked, and nothing more. Never looks at the machine.

use crate::subcommands::{SUBCOMMANDS, Subcommand};
use clap::builder::PossibleValuesParser;
use clap::{ArgAction, ArgMatches, Args as _, Command, FromArgMatches};
use orient_tools::{Exit, OPERATIONS, Operation};
use std::ffi::OsString;
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
    Operation(&'static Operation),
    /// Do something else.
    Subcommand(&'static Subcommand),
}

/// The flags every command takes.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Everywhere")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
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
    /// Write each step and how long it takes to the standard error; `ORIENT_LOG` chooses what
    #[arg(long, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Answer from the index as it is, without catching up with the files
    #[arg(long, global = true)]
    pub(crate) no_refresh: bool,
    /// Index a home or system folder after all; must be given twice
    #[arg(long, global = true, action = ArgAction::Count)]
    pub(crate) force: u8,
}

/// Reads the command line; ends the process for help, version and mistakes.
pub(crate) fn parse() -> Args {
    let typed: Vec<OsString> = std::env::args_os().collect();
    let matches = matches(&typed).unwrap_or_else(|error| error.exit());
    let globals = Globals::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let (name, own) = matches.subcommand().expect("clap asks for a subcommand");
    let subcommand = || {
        SUBCOMMANDS.iter().find(|subcommand| (subcommand.command)().get_name() == name).map(Asked::Subcommand)
    };
    let tool = OPERATIONS.iter().find(|tool| tool.name == name).map(Asked::Operation);
    let asked = tool.or_else(subcommand).expect("every subcommand is from a table");
    Args { globals, asked, matches: own.clone() }
}

/// What a line means. The description of all subcommands takes longer to make than many a question to answer: it is made
/// where the one that the line seems to name is not all that is needed.
fn matches(typed: &[OsString]) -> Result<ArgMatches, clap::Error> {
    let named = typed.iter().skip(1).find_map(|word| OPERATIONS.iter().find(|tool| *word == *tool.name));
    let by_itself = named.and_then(|tool| bare().subcommand(tool.command()).try_get_matches_from(typed).ok());
    by_itself.map_or_else(|| command().try_get_matches_from(typed), Ok)
}

/// The command without its subcommands and its help.
fn bare() -> Command {
    Globals::augment_args(Command::new("orient"))
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
}

pub(crate) fn command() -> Command {
    let examples = format!("Examples:{}", examples());
    let mut exits = String::new();
    for exit in Exit::ALL {
        exits = format!("{exits}\n  {:>3}  {}", *exit as u8, exit.meaning());
    }
    bare()
        .max_term_width(110)
        .subcommands(OPERATIONS.iter().map(Operation::command))
        .subcommands(SUBCOMMANDS.iter().map(|subcommand| (subcommand.command)()))
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
    let first: Vec<_> = OPERATIONS.iter().filter_map(|tool| tool.examples.first()).collect();
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
        for tool in OPERATIONS {
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
    fn a_line_means_the_same_whichever_subcommand_it_seems_to_name() {
        for line in [
            "orient grep -n --json search x",
            "orient --root grep search x",
            "orient --store grep --root symbols grep -e -x --set index.threads=2",
            "orient watch --root status",
            "orient serve grep",
            "orient grep --help",
            "orient grep --no-such-flag x",
            "orient search",
            "orient serch grep",
            "orient grep",
            "orient",
        ] {
            let typed: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let shown = |matches: Result<ArgMatches, clap::Error>| match matches {
                Ok(matches) => format!("{:?}", (Globals::from_arg_matches(&matches), matches.subcommand())),
                Err(error) => error.render().to_string(),
            };
            assert_eq!(shown(matches(&typed)), shown(command().try_get_matches_from(&typed)), "{line}");
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
