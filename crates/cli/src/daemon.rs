//! `orient daemon`: starts, stops and shows the background process that answers commands about a tree.

use crate::config::{Config, OutputFormat};
use crate::{render, watch};
use clap::{Arg, ArgMatches, Command, ValueEnum, value_parser};
use orient_engine::{Engine, FullScan};
use orient_live::{stop_daemon, unresponsive_watcher, watcher_process};
use orient_tools::{Code, Exit, OpenTree, SessionOptions, Style, ToolError, write_json_line};
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long to wait until a daemon has started or stopped.
const DEADLINE: Duration = Duration::from_secs(10);
/// How often to look.
const POLL: Duration = Duration::from_millis(20);

/// What to do with the daemon.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Action {
    /// Start it unless one runs
    Start,
    /// Stop it
    Stop,
    /// Say whether one runs
    Status,
}

/// The definition of the subcommand.
pub(crate) fn command() -> Command {
    let action = Arg::new("action")
        .value_name("ACTION")
        .value_parser(value_parser!(Action))
        .help("What to do; without it, say whether one runs");
    Command::new("daemon")
        .about("Start or stop the background process that answers commands about a tree")
        .long_about(
            "Start or stop the background process that answers commands about a tree.\n\n\
             A daemon keeps the index open, follows changes and answers the commands of the same tree, so that they need a few \
             milliseconds. It stops by itself once no command has asked for as long as the setting watch.idle says. `orient mcp` \
             and `orient serve` answer commands in the same way while they run. In a tree with at least watch.min_files files, a \
             command starts a daemon by itself. Exits with code 1 if no daemon runs.",
        )
        .arg(action)
}

/// The state of the daemon of a tree.
#[derive(Serialize)]
struct DaemonLine {
    /// Whether a process answers commands.
    running: bool,
    /// Its process ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<u32>,
    /// What was done.
    done: &'static str,
}

/// Runs the subcommand.
pub(crate) fn run(config: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    let setup = config.setup.clone();
    let tree = OpenTree::open(config.setup, |_, _| Arc::new(FullScan))?;
    let engine = tree.engine();
    let action = matches.get_one::<Action>("action").copied().unwrap_or(Action::Status);
    let line = match action {
        Action::Start => start(engine, &setup)?,
        Action::Stop => stop(engine)?,
        Action::Status => {
            let process = watcher_process(engine);
            DaemonLine::of(process, if process.is_some() { "running" } else { "not running" })
        }
    };
    let exit = if line.running || action == Action::Stop { Exit::Ok } else { Exit::Nothing };
    let written = match config.format {
        OutputFormat::Json => render::raw(|out| write_json_line(&line, out)),
        OutputFormat::Text => render::page(config.colour, |page| {
            let process = line.process.map_or_else(String::new, |process| format!(", process {process}"));
            page.line(Style::Plain, &format!("{}{process}", line.done))
        }),
    };
    written.map_err(|error| ToolError::new(Code::Io, format!("cannot write: {error}")))?;
    Ok(exit)
}

fn start(engine: &Engine, setup: &SessionOptions) -> Result<DaemonLine, ToolError> {
    if let Some(process) = watcher_process(engine) {
        return Ok(DaemonLine::of(Some(process), "was running"));
    }
    watch::spawn_daemon(setup);
    let process = wait(|| watcher_process(engine)).ok_or_else(|| not_started(engine))?;
    Ok(DaemonLine::of(Some(process), "started"))
}

fn stop(engine: &Engine) -> Result<DaemonLine, ToolError> {
    let process = watcher_process(engine);
    match stop_daemon(engine) {
        None => Ok(DaemonLine::of(None, "was not running")),
        Some(false) => {
            let process = process.map_or_else(String::new, |process| format!(" (process {process})"));
            let message = format!("a server or `orient watch` answers commands here{process}");
            Err(ToolError::new(Code::BadArgument, message).hint("stop it where it was started"))
        }
        Some(true) => match wait(|| watcher_process(engine).is_none().then_some(())) {
            Some(()) => Ok(DaemonLine::of(None, "stopped")),
            None => Err(ToolError::new(Code::Io, "the daemon has not stopped yet")),
        },
    }
}

/// Waits until something is there.
fn wait<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let begun = Instant::now();
    loop {
        let found = look();
        if found.is_some() || begun.elapsed() > DEADLINE {
            return found;
        }
        std::thread::sleep(POLL);
    }
}

fn not_started(engine: &Engine) -> ToolError {
    let silent = unresponsive_watcher(engine)
        .map_or_else(String::new, |process| format!("; process {process} does not respond"));
    ToolError::new(Code::Io, format!("the daemon did not start{silent}"))
        .hint("`orient doctor` shows whether the tree can be watched")
}

impl DaemonLine {
    fn of(process: Option<u32>, done: &'static str) -> Self {
        Self { running: process.is_some(), process, done }
    }
}
