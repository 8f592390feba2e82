//! The `orient` command: reads the command line, asks the table of operations, shows the answer.

mod allocator;
mod args;
mod atomic_write;
#[cfg(target_os = "linux")]
mod close_on_exec;
mod completions_and_man;
mod config;
mod exit_codes;
mod interrupt;
mod log;
mod pager;
mod progress;
mod render;
mod serve;
mod setup;
mod setup_undo_log;
mod subcommands;
mod terminal;
mod watch;

use args::{Args, Asked};
use config::{Config, Form};
use interrupt::Interrupt;
use orient_tools::{Code, Exit, Session, ToolError};
use progress::Meter;
use render::Manner;
use std::io;
use std::process::ExitCode;
use terminal::Links;

fn main() -> ExitCode {
    let args = args::parse();
    let form = Form::of(args.globals.json);
    let exit = run(args).unwrap_or_else(|error| {
        // Nobody is left to tell if this fails too.
        let _ = render::error(&error, form, false);
        error.code().exit()
    });
    exit_codes::code(exit)
}

fn run(Args { globals, asked, matches }: Args) -> Result<Exit, ToolError> {
    let long_running = matches!(asked, Asked::Subcommand(subcommand) if subcommand.long_running);
    log::start(globals.verbose, long_running, globals.quiet);
    let config =
        Config::resolve(globals).map_err(|error| ToolError::new(Code::BadArgument, error.to_string()))?;
    let tool = match asked {
        Asked::Operation(tool) => tool,
        Asked::Subcommand(subcommand) => {
            // Those that stay have nothing to do most of the time.
            allocator::give_back_at_once();
            return (subcommand.run)(config, &matches);
        }
    };
    if tool.exposed {
        allocator::do_without_huge_pages();
    }
    let interrupt = Interrupt::install();
    let meter = Meter::new(config.progress, interrupt.clone());
    let (mut links, mut alone) = (None, false);
    let setup = config.setup.clone();
    let call = log::Call::begin(tool.name);
    let answered = Session::open(config.setup, &meter, &interrupt.cancel).and_then(|session| {
        links = Links::new(session.root(), |name| std::env::var(name).ok());
        let reply = tool.run(&session, &matches);
        alone = reply.is_ok() && session.should_start_watcher();
        reply
    });
    call.came_to(&answered);
    let reply = match answered {
        Ok(reply) => reply,
        Err(error) => {
            let _ = render::error(&error, config.form, config.colour_remarks);
            return Ok(error.code().exit());
        }
    };
    let screen = config.screen.map(|rows| (rows, interrupt.paging()));
    let manner = Manner { form: config.form, colour: config.colour, links, screen };
    let written = match render::answer(reply.as_ref(), manner) {
        Ok(false) if !config.quiet => render::remarks(reply.as_ref(), config.colour_remarks),
        written => written.map(drop),
    };
    drop(call);
    if alone {
        watch::spawn_daemon(&setup);
    }
    match written {
        // Whoever read our output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(reply.exit()),
        Err(error) => Err(ToolError::new(Code::Io, format!("cannot write the answer: {error}"))),
        Ok(()) => Ok(reply.exit()),
    }
}
