//! `orient mcp` and `orient serve`: start the MCP server over stdio or HTTP.

use crate::config::{Config, RootSource};
use crate::forwarded_command;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use orient_engine::{Freshness, FullScan};
use orient_live::{WatchOptions, Watcher};
use orient_serve::{HttpOptions, Options, ServeError};
use orient_tools::{Code, Exit, ToolError};
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

/// The definition of `orient mcp`.
pub(crate) fn mcp_command() -> Command {
    Command::new("mcp")
        .about("Serve one agent over stdio (Model Context Protocol)")
        .long_about(
            "Serve one agent over stdio (Model Context Protocol).\n\n\
             Configure agents to run the command `orient` with the argument `mcp`. The directory is --root if given (several are asked as one), \
             otherwise the client's roots, otherwise the current directory. Indexing starts immediately in the \
             background. Standard output belongs to the protocol; everything else goes to standard error.",
        )
        .arg(tools())
}

fn tools() -> Arg {
    Arg::new("tools")
        .long("tools")
        .value_name("WHICH")
        .help("Tools to offer: `all` for one tool per operation, or a comma-separated list of names [default: a few groups]")
}

/// The definition of `orient serve`.
pub(crate) fn serve_command() -> Command {
    let flag = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    Command::new("serve")
        .about("Serve many agents over HTTP (Model Context Protocol)")
        .long_about(
            "Serve many agents over HTTP (Model Context Protocol): streamable HTTP at /mcp, a health check at /healthz, \
             Prometheus metrics at /metrics.\n\n\
             Listens on the local machine unless another address is given, which requires a token. Rejects requests \
             with a foreign host name and requests from web pages. Ctrl-C stops it after the open requests.",
        )
        .arg(
            flag("listen", "ADDRESS", "Address to listen on; port 0 chooses a free one")
                .default_value("127.0.0.1:7411")
                .value_parser(value_parser!(SocketAddr)),
        )
        .arg(tools())
        .arg(flag("token-file", "FILE", "File with the token that clients must send; ORIENT_TOKEN works too"))
        .arg(flag("allow-host", "NAME", "Additional host name of this server").action(ArgAction::Append))
        .arg(flag("allow-origin", "ORIGIN", "Origin of a web page that may send requests, for example https://app.example").action(ArgAction::Append))
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
            // A failure to write to standard error cannot be reported.
            let _ = writeln!(std::io::stderr(), "serving on http://{address}/mcp");
        }
    })
    .map_err(tool_error)?;
    Ok(Exit::Ok)
}

/// Reads the token from a file or from the environment.
fn token(file: Option<&Path>) -> Result<Option<String>, ToolError> {
    let wrong = |message: String| ToolError::new(Code::BadArgument, message);
    let text = match file {
        Some(file) => Some(
            std::fs::read_to_string(file)
                .map_err(|error| wrong(format!("cannot read the token from {}: {error}", file.display())))?,
        ),
        None => std::env::var("ORIENT_TOKEN").ok(),
    };
    match text.as_deref().map(str::trim) {
        None => Ok(None),
        Some(token) if token.len() >= 16 => Ok(Some(token.to_owned())),
        Some(_) => Err(wrong("the token is shorter than 16 characters".to_owned())
            .hint("create one with `openssl rand -hex 32`")),
    }
}

/// Serves one client.
pub(crate) fn mcp(config: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    tracing::info!(transport = "stdio", version = env!("CARGO_PKG_VERSION"), "server started");
    orient_serve::stdio(options(config, matches)).map_err(tool_error)?;
    Ok(Exit::Ok)
}

fn options(config: Config, matches: &ArgMatches) -> Options {
    // With --no-refresh, the background does not refresh either.
    let refreshes = config.setup.refresh;
    let setup = config.setup.clone();
    Options {
        setup: config.setup,
        other_roots: config.other_roots,
        root_is_fixed: config.root == RootSource::Flag,
        tools: matches.get_one::<String>("tools").cloned(),
        freshness: Arc::new(move |engine, loaded| -> Arc<dyn Freshness> {
            let setup = setup.clone();
            orient_logging::open(&engine.store_paths().store);
            if !refreshes {
                return Arc::new(FullScan);
            }
            let branches = loaded.settings.watch.branches;
            let watcher = Watcher::start(
                engine,
                WatchOptions {
                    prefetch_branches: branches,
                    history: orient_tools::background_history(loaded),
                    ..WatchOptions::default()
                },
            );
            watcher.answer_commands(|freshness| forwarded_command::handler(setup, engine, loaded, freshness));
            Arc::new(watcher)
        }),
        release_thread_memory: crate::allocator::release_thread_memory,
    }
}

fn tool_error(error: ServeError) -> ToolError {
    match error {
        ServeError::Usage { message, hint } => ToolError::new(Code::BadArgument, message).hint(hint),
        error @ ServeError::System { .. } => ToolError::new(Code::Io, error.to_string()),
    }
}
