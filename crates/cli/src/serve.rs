//! `orient mcp` and `orient serve`: the operations for programs. What they are and how they answer is the server's
//! affair; here it is started.

use crate::config::Config;
use clap::{Arg, ArgMatches, Command};
use orient_engine::{Keeper, Sweep};
use orient_live::{Live, LiveOptions};
use orient_serve::{Options, ServeError};
use orient_tools::{Code, Exit, ToolError};
use std::sync::Arc;

/// The subcommand for one client.
pub(crate) fn mcp_command() -> Command {
    Command::new("mcp")
        .about("Serve one agent over stdio, by the Model Context Protocol")
        .long_about(
            "Serve one agent over stdio, by the Model Context Protocol.\n\n\
             What agents are configured with: the command `orient` with the argument `mcp`. The folder is the client's \
             root, else the one it is started in, else --root. Indexing starts at once in the background. The standard \
             output belongs to the protocol; everything else goes to the standard error.",
        )
        .arg(tools())
}

fn tools() -> Arg {
    Arg::new("tools")
        .long("tools")
        .value_name("WHICH")
        .help("Which tools to offer: `all` for one for each operation, or names with commas between; a few groups without it")
}

/// Serves one client.
pub(crate) fn mcp(config: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    orient_serve::stdio(options(config, matches)).map_err(failed)?;
    Ok(Exit::Ok)
}

fn options(config: Config, matches: &ArgMatches) -> Options {
    // Whoever wants no look at the files wants none in the background either.
    let watched = config.setup.refresh;
    Options {
        setup: config.setup,
        chosen: config.root_given,
        tools: matches.get_one::<String>("tools").cloned(),
        keeper: Arc::new(move |engine, _| -> Arc<dyn Keeper> {
            if watched { Arc::new(Live::start(engine, LiveOptions::default())) } else { Arc::new(Sweep) }
        }),
    }
}

fn failed(error: ServeError) -> ToolError {
    match error {
        ServeError::Asked { message, hint } => ToolError::new(Code::BadArgument, message).hint(hint),
        error @ ServeError::System { .. } => ToolError::new(Code::Io, error.to_string()),
    }
}
