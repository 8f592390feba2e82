//! Parses the command line. Depends on the arguments alone, not on the environment.

use crate::config::OutputFormat;
use crate::help;
use crate::subcommands::{SUBCOMMANDS, Subcommand};
use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue};
use clap::{ArgAction, ArgMatches, Args as _, Command, FromArgMatches};
use orient_tools::{Code, Exit, OPERATIONS, Operation, ToolError, suggest_command};
use std::ffi::OsString;
use std::path::PathBuf;

/// The parsed command line.
pub(crate) struct Args {
    /// The global flags.
    pub(crate) globals: Globals,
    /// The command to run.
    pub(crate) command: CommandKind,
    /// The arguments of the command.
    pub(crate) matches: ArgMatches,
}

/// The two kinds of commands.
pub(crate) enum CommandKind {
    /// An entry of the operation table.
    Operation(&'static Operation),
    /// Any other subcommand.
    Subcommand(&'static Subcommand),
}

/// The flags that every command accepts. The short help shows those that a first question may need.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent flag")]
pub(crate) struct Globals {
    /// Print the answer as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Directory to work on; several are asked as one [default: the current directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// Answer for the files of a git revision instead of the working tree: a branch, a tag, a commit, HEAD~5
    #[arg(long, global = true, value_name = "REV")]
    pub(crate) at: Option<String>,
    /// Directory for indexes
    #[arg(long, global = true, hide_short_help = true, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// Override a setting, for example index.threads=2
    #[arg(long, global = true, hide_short_help = true, value_name = "SECTION.KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// When to use colours
    #[arg(long, global = true, hide_short_help = true, value_name = "WHEN", default_value = "auto", hide_default_value = true,
          value_parser = PossibleValuesParser::new(["auto", "always", "never"]))]
    pub(crate) color: String,
    /// Do not use a pager for long output
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) no_pager: bool,
    /// Print only the answer and errors, without progress and notes
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Log each step and its duration to standard error; `ORIENT_LOG` selects what is logged
    #[arg(long, global = true, hide_short_help = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Answer from the index without refreshing it
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) no_refresh: bool,
    /// Index a home or system directory anyway; must be given twice
    #[arg(long, global = true, hide_short_help = true, action = ArgAction::Count)]
    pub(crate) force: u8,
}

/// Parses the command line; exits for `--help` and `--version`. An invalid line is printed as JSON if `--json` is on it.
pub(crate) fn parse() -> Result<Args, (ToolError, OutputFormat)> {
    let typed: Vec<OsString> = std::env::args_os().collect();
    let format = OutputFormat::of(typed.iter().any(|word| word == "--json"));
    let fail = |error: clap::Error| match invalid(&error, format) {
        Some(error) => (error, format),
        None => error.exit(),
    };
    parse_words(&typed).map_err(fail)
}

/// Parses the words of a command line.
pub(crate) fn parse_words(typed: &[OsString]) -> Result<Args, clap::Error> {
    let matches = matches(typed)?;
    let globals = Globals::from_arg_matches(&matches)?;
    let (name, own) = matches.subcommand().expect("clap requires a subcommand");
    let subcommand = || {
        SUBCOMMANDS
            .iter()
            .find(|subcommand| (subcommand.command)().get_name() == name)
            .map(CommandKind::Subcommand)
    };
    let tool = OPERATIONS.iter().find(|tool| tool.name == name).map(CommandKind::Operation);
    let command = tool.or_else(subcommand).expect("every subcommand is from a table");
    Ok(Args { globals, command, matches: own.clone() })
}

/// The error of an invalid line; `None` if clap prints it: help, and usage for people.
fn invalid(error: &clap::Error, format: OutputFormat) -> Option<ToolError> {
    let unknown = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(typed)) => Some(typed.as_str()),
        _ => None,
    };
    if let Some(typed) = unknown {
        let commands = help::commands();
        let known = commands.iter().map(|command| command.name.as_str());
        let hint = suggest_command(typed, known).map_or_else(
            || "`orient --help` lists the commands".to_owned(),
            |near| format!("did you mean `orient {near}`?"),
        );
        return Some(ToolError::new(Code::BadArgument, format!("there is no command `{typed}`")).hint(hint));
    }
    if format == OutputFormat::Text || !error.use_stderr() {
        return None;
    }
    let rendered = error.render().to_string();
    let mut parts = rendered.trim().splitn(2, "\n\n");
    let message = parts.next().unwrap_or_default().trim_start_matches("error: ").trim().replace("\n ", "");
    let hint = parts.next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    Some(ToolError::new(Code::BadArgument, message).hint(hint))
}

/// Parses a line. Building the definitions of all subcommands takes longer than many queries: first try the subcommand that the
/// line seems to name, alone.
fn matches(typed: &[OsString]) -> Result<ArgMatches, clap::Error> {
    let named = typed.iter().skip(1).find_map(|word| OPERATIONS.iter().find(|tool| *word == *tool.name));
    let by_itself = named.and_then(|tool| bare().subcommand(tool.command()).try_get_matches_from(typed).ok());
    by_itself.map_or_else(|| command().try_get_matches_from(typed), Ok)
}

/// The command without subcommands and help texts.
fn bare() -> Command {
    Globals::augment_args(Command::new("orient"))
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
}

/// The parts of the help of a command, in their order.
const COMMAND_HELP: &str =
    "{before-help}{about-with-newline}\n{usage-heading} {usage}{after-help}\n\n{all-args}\n";

pub(crate) fn command() -> Command {
    let commands = help::commands();
    let mut exits = String::new();
    for exit in Exit::ALL {
        exits = format!("{exits}\n  {:>3}  {}", *exit as u8, exit.meaning());
    }
    bare()
        .max_term_width(110)
        .subcommands(OPERATIONS.iter().map(Operation::command))
        .subcommands(SUBCOMMANDS.iter().map(|subcommand| (subcommand.command)()))
        // The examples say most, so they come before the options.
        .mut_subcommands(|command| command.help_template(COMMAND_HELP))
        .about("Code intelligence for the current directory, always up to date")
        .long_about(
            "Code intelligence for the current directory, always up to date.\n\n\
             No setup is needed: the first command indexes the directory, later ones refresh what changed. \
             Nothing leaves the machine, and nothing is written into the repository.",
        )
        // clap lists subcommands in one table; here they have topics.
        .help_template("{about}\n\n{usage-heading} {usage}{after-help}\n\nOptions:\n{options}\n")
        .after_help(help::summary(&commands))
        .after_long_help(format!("{}\nExit codes:{exits}", help::full_list(&commands)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_definition_is_valid() {
        command().debug_assert();
    }

    #[test]
    fn every_example_in_the_operation_table_parses() {
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
    fn parsing_one_subcommand_alone_gives_the_same_result() {
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
    fn global_flags_are_accepted_before_and_after_the_subcommand() {
        for line in ["orient --json status", "orient status --json"] {
            let matches = command().try_get_matches_from(line.split(' ')).expect(line);
            assert!(Globals::from_arg_matches(&matches).expect(line).json);
        }
    }
}
