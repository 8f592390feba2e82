//! The `orient` command: parses the command line, runs an operation or a subcommand, and prints the answer.

#[cfg(target_os = "linux")]
mod address_space;
mod allocator;
mod args;
mod atomic_write;
#[cfg(target_os = "linux")]
mod close_on_exec;
mod completions_and_man;
mod config;
mod daemon;
mod demo;
mod exit_codes;
#[cfg(unix)]
mod file_size_signal;
mod forwarded_command;
mod guard;
mod help;
mod interrupt;
mod log;
mod pager;
mod progress;
mod remote;
mod render;
mod serve;
mod setup;
mod setup_undo_log;
mod subcommands;
mod team;
mod team_output;
mod terminal;
mod watch;

use args::{Args, CommandKind};
use clap::ArgMatches;
use config::{Config, OutputFormat};
use interrupt::Interrupt;
use orient_tools::{
    AnsweredCall, Code, Exit, Operation, Session, ToolError, client_of_environment, record_served,
};
use progress::ProgressMeter;
use render::RenderOptions;
use std::io;
use std::process::ExitCode;
use terminal::Links;

fn main() -> ExitCode {
    #[cfg(unix)]
    file_size_signal::ignore();
    let fail = |error: &ToolError, format| {
        // If this fails too, the error cannot be reported.
        let _ = render::error(error, format, false);
        error.code().exit()
    };
    #[cfg(target_os = "linux")]
    if let Some(shortage) = address_space::shortage() {
        return exit_codes::code(fail(&ToolError::new(Code::Io, shortage), OutputFormat::of(false)));
    }
    let exit = match args::parse() {
        Ok(args) => {
            let format = OutputFormat::of(args.globals.json);
            run(args).unwrap_or_else(|error| fail(&error, format))
        }
        Err((error, format)) => fail(&error, format),
    };
    exit_codes::code(exit)
}

fn run(Args { globals, command, matches }: Args) -> Result<Exit, ToolError> {
    let long_running = matches!(command, CommandKind::Subcommand(subcommand) if subcommand.long_running);
    let is_logged = log::start(globals.verbose, long_running, globals.quiet);
    let revision = globals.at.clone();
    let mut config =
        Config::resolve(globals).map_err(|error| ToolError::new(Code::BadArgument, error.to_string()))?;
    match command {
        CommandKind::Operation(tool) => {
            config.screen = config.screen.filter(|_| tool.paged);
            run_operation(tool, revision.as_deref(), &config, is_logged, &matches)
        }
        CommandKind::Subcommand(subcommand) if revision.is_some() => {
            let name = (subcommand.command)().get_name().to_owned();
            let error = ToolError::new(Code::BadArgument, format!("`--at` does not apply to `{name}`"));
            Err(error.hint("it is for questions about the code; agents pass `at` with each of them"))
        }
        CommandKind::Subcommand(subcommand) => {
            // Long-running processes are idle most of the time.
            allocator::release_memory_early();
            (subcommand.run)(config, &matches)
        }
    }
}

/// Answers a question, here or in a process that has the index open, and prints the answer.
fn run_operation(
    tool: &'static Operation,
    revision: Option<&str>,
    config: &Config,
    is_logged: bool,
    matches: &ArgMatches,
) -> Result<Exit, ToolError> {
    if tool.exposed {
        allocator::disable_huge_pages();
    }
    let interrupt = Interrupt::install();
    let meter = ProgressMeter::new(config.progress, interrupt.clone());
    let (mut links, mut needs_daemon) = (None, false);
    let setup = config.setup.clone();
    let call = log::CallSpan::begin(tool.name);
    let client = client_of_environment(|name| std::env::var(name).ok());
    let mut engine_of_tasks = None;
    // Settings name a workspace for questions; what maintains an index works on one.
    let opened = if tool.exposed || !config.other_roots.is_empty() {
        Session::open_workspace(&setup, &config.other_roots, &meter, &interrupt.cancel)
    } else {
        Session::open(setup.clone(), &meter, &interrupt.cancel)
    };
    let opened = opened.map(|session| session.for_client(client.clone()));
    let remote = match &opened {
        Ok(session) if revision.is_none() => remote::ask(session, tool, config.format),
        _ => None,
    };
    // What a client is shown is recorded for its task, so it is answered here.
    if let Ok(session) = &opened
        && !is_logged
        && revision.is_none()
        && !session.is_workspace()
        && session.engine_of_tasks().is_none()
        && let Some(answered) = forwarded_command::ask(session, config, tool)
    {
        let printed = answered.print(config, interrupt.paging());
        return match printed.and_then(|()| remote::print(remote, config)) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(cannot_write(&error)),
            _ => Ok(answered.exit),
        };
    }
    let answered = opened.and_then(|session| {
        links = Links::new(session.root(), |name| std::env::var(name).ok());
        let reply = match revision {
            None => tool.run(&session, matches),
            Some(revision) => tool.run_at(&session, revision, matches),
        };
        needs_daemon = reply.is_ok() && session.should_start_watcher();
        engine_of_tasks = session.engine_of_tasks().filter(|_| reply.is_ok() && !output_is_discarded());
        reply
    });
    call.set_outcome(&answered);
    let reply = match answered {
        Ok(reply) => reply,
        Err(error) => {
            let _ = render::error(&error, config.format, config.colour_stderr);
            let _ = remote::print(remote, config);
            return Ok(error.code().exit());
        }
    };
    let screen = config.screen.map(|rows| (rows, interrupt.paging()));
    let options = RenderOptions { format: config.format, colour: config.colour, links, screen };
    let printed = render::answer(reply.as_ref(), options, engine_of_tasks.is_some());
    let printed = printed.map(|(has_notes, marks)| {
        if let (Some(engine), Some(marks)) = (&engine_of_tasks, marks) {
            let subject = tool.subject(matches);
            let generation = reply.metadata().generation().unwrap_or_default();
            let call = AnsweredCall { client: &client, operation: tool.name, subject: &subject, generation };
            record_served(engine, &call, marks);
        }
        has_notes
    });
    let written = match printed {
        Ok(false) if !config.quiet => render::notes(reply.as_ref(), config.colour_stderr),
        written => written.map(drop),
    };
    drop(call);
    let written = written.and_then(|()| remote::print(remote, config));
    if needs_daemon {
        watch::spawn_daemon(&setup);
    }
    match written {
        // The reader of our output closed the pipe early: it has what it wants, and what else there is was not looked for.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Ok),
        Err(error) => Err(cannot_write(&error)),
        Ok(()) => Ok(reply.exit()),
    }
}

/// Whether nobody can read what is printed: then it is no evidence of what an agent was shown.
#[cfg(unix)]
fn output_is_discarded() -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path| std::fs::metadata(path).map(|data| data.rdev());
    matches!((device("/dev/stdout"), device("/dev/null")), (Ok(out), Ok(null)) if out == null && null != 0)
}

#[cfg(not(unix))]
fn output_is_discarded() -> bool {
    false
}

fn cannot_write(error: &io::Error) -> ToolError {
    ToolError::new(Code::Io, format!("cannot write the answer: {error}"))
}
