//! `orient mcp` and `orient serve`: the operations for programs. What they are and how they answer is the server's
//! affair; here it is started.

use crate::config::{Config, Root};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use orient_engine::{Freshness, FullScan};
use orient_live::{WatchOptions, Watcher};
use orient_serve::{HttpOptions, Options, ServeError};
use orient_tools::{Code, Exit, ToolError};
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
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

/// The subcommand for many clients.
pub(crate) fn serve_command() -> Command {
    let flag = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    Command::new("serve")
        .about("Serve many agents over HTTP, by the Model Context Protocol")
        .long_about(
            "Serve many agents over HTTP, by the Model Context Protocol: streamable HTTP at /mcp, with /healthz and \
             Prometheus' /metrics beside it.\n\n\
             Listens on this machine alone unless another address is given, and then asks for a token. Requests that \
             name a foreign host or come from a web page are turned away. Ends on Ctrl-C, after what is being answered.",
        )
        .arg(
            flag("listen", "ADDRESS", "Where to listen; port 0 takes any that is free")
                .default_value("127.0.0.1:7411")
                .value_parser(value_parser!(SocketAddr)),
        )
        .arg(tools())
        .arg(flag("token-file", "FILE", "A file with the token clients must send; ORIENT_TOKEN does the same"))
        .arg(flag("allow-host", "NAME", "Another name this server is called by").action(ArgAction::Append))
        .arg(flag("allow-origin", "ORIGIN", "A web page that may ask: https://app.example").action(ArgAction::Append))
}

/// Serves many clients.
pub(crate) fn serve(config: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    let texts = |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
    let http = HttpOptions {
        address: *matches.get_one("listen").expect("it has a default"),
        token: token(matches.get_one::<String>("token-file").map(Path::new))?,
        hosts: texts("allow-host"),
        origins: texts("allow-origin"),
    };
    let quiet = config.quiet;
    tracing::info!(transport = "http", version = env!("CARGO_PKG_VERSION"), "server started");
    orient_serve::http(options(config, matches), &http, |address| {
        if !quiet {
            // Nobody is left to tell if this fails.
            let _ = writeln!(std::io::stderr(), "serving on http://{address}/mcp");
        }
    })
    .map_err(failed)?;
    Ok(Exit::Ok)
}

/// The token of a file, or of the environment.
fn token(file: Option<&Path>) -> Result<Option<String>, ToolError> {
    let wrong = |message: String| ToolError::new(Code::BadArgument, message);
    let text = match file {
        Some(file) => Some(
            std::fs::read_to_string(file)
                .map_err(|error| wrong(format!("the token in {} cannot be read: {error}", file.display())))?,
        ),
        None => std::env::var("ORIENT_TOKEN").ok(),
    };
    match text.as_deref().map(str::trim) {
        None => Ok(None),
        Some(token) if token.len() >= 16 => Ok(Some(token.to_owned())),
        Some(_) => Err(wrong("the token is shorter than 16 characters".to_owned())
            .hint("make one with `openssl rand -hex 32`")),
    }
}

/// Serves one client.
pub(crate) fn mcp(config: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    tracing::info!(transport = "stdio", version = env!("CARGO_PKG_VERSION"), "server started");
    orient_serve::stdio(options(config, matches)).map_err(failed)?;
    Ok(Exit::Ok)
}

fn options(config: Config, matches: &ArgMatches) -> Options {
    // Whoever wants no look at the files wants none in the background either.
    let watched = config.setup.refresh;
    Options {
        setup: config.setup,
        chosen: config.root == Root::Named,
        tools: matches.get_one::<String>("tools").cloned(),
        freshness: Arc::new(move |engine, loaded| -> Arc<dyn Freshness> {
            orient_logging::open(&engine.store_paths().store);
            if !watched {
                return Arc::new(FullScan);
            }
            let branches = loaded.settings.watch.branches;
            Arc::new(Watcher::start(
                engine,
                WatchOptions { prefetch_branches: branches, ..WatchOptions::default() },
            ))
        }),
        rested: crate::allocator::give_back_of_thread,
    }
}

fn failed(error: ServeError) -> ToolError {
    match error {
        ServeError::Asked { message, hint } => ToolError::new(Code::BadArgument, message).hint(hint),
        error @ ServeError::System { .. } => ToolError::new(Code::Io, error.to_string()),
    }
}
