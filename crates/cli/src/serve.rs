//! `orient mcp`, `orient serve` and `orient web`: start the server over stdio or HTTP.

use crate::config::{Config, RootSource};
use crate::forwarded_command;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use orient_engine::{Freshness, FullScan};
use orient_live::{WatchOptions, Watcher};
use orient_serve::{HttpOptions, Options, ServeError, TlsFiles};
use orient_tools::{Code, Exit, ToolError};
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
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
        .after_help(
            "Examples:\n  orient setup claude-code  let a client start it\n  orient mcp --root src      serve one directory",
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
    let command = Command::new("serve")
        .about("Serve many agents over HTTP (Model Context Protocol)")
        .long_about(
            "Serve many agents over HTTP (Model Context Protocol): streamable HTTP at /mcp, web pages at /, a health check at \
             /healthz, Prometheus metrics at /metrics.\n\n\
             Listens on the local machine unless another address is given, which requires a token. Rejects requests \
             with a foreign host name and requests from foreign web pages. Ctrl-C stops it after the open requests.",
        )
        .arg(tools());
    with_http_arguments(command, "127.0.0.1:7411")
}

/// The definition of `orient web`.
pub(crate) fn web_command() -> Command {
    let command = Command::new("web")
        .about("Explore the code in a browser")
        .long_about(
            "Explore the code in a browser: search as you type, linked code, call graphs, a map of the directories, changes, and \
             what agents ask. Prints the address of the pages.\n\n\
             It is the server of `orient serve` with another port, so agents can use it at /mcp too. Listens on the local machine \
             unless another address is given, which requires a token. Ctrl-C stops it.",
        )
        .after_help("Examples:\n  orient web --open               and open the browser\n  orient web --listen [::1]:8080  on another port")
        .arg(Arg::new("open").long("open").action(ArgAction::SetTrue).help("Open the start page in the browser"))
        .arg(tools());
    with_http_arguments(command, "127.0.0.1:7412")
}

fn with_http_arguments(command: Command, address: &'static str) -> Command {
    let flag = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    command
        .arg(
            flag("listen", "ADDRESS", "Address to listen on; port 0 chooses a free one")
                .default_value(address)
                .value_parser(value_parser!(SocketAddr)),
        )
        .arg(flag("token-file", "FILE", "File with the token that clients must send; ORIENT_TOKEN works too"))
        .arg(
            flag("tls-cert", "FILE", "Certificate with its chain (PEM): connections are encrypted")
                .requires("tls-key")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            flag("tls-key", "FILE", "Private key of the certificate (PEM)")
                .requires("tls-cert")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(flag("allow-host", "NAME", "Additional host name of this server").action(ArgAction::Append))
        .arg(
            flag(
                "allow-origin",
                "ORIGIN",
                "Origin of a web page that may send requests, for example https://app.example",
            )
            .action(ArgAction::Append),
        )
}

/// Serves many clients.
pub(crate) fn serve(config: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    let quiet = config.quiet;
    let scheme = scheme(matches.contains_id("tls-cert"));
    serve_http(config, matches, &|address| {
        if !quiet {
            // A failure to write to standard error cannot be reported.
            let _ = writeln!(
                std::io::stderr(),
                "serving on {scheme}://{address}/mcp\nweb pages at {scheme}://{address}/"
            );
        }
    })
}

/// Serves web pages.
pub(crate) fn web(config: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    let opens = matches.get_flag("open");
    let scheme = scheme(matches.contains_id("tls-cert"));
    serve_http(config, matches, &|address| {
        let page = format!("{scheme}://{address}/");
        // The address is the answer of this command, so it goes to standard output. Both failures leave the server running.
        let _ = writeln!(std::io::stdout(), "{page}");
        if opens {
            let _ = open_in_browser(&page);
        }
    })
}

/// Opens an address with the system's default browser.
fn open_in_browser(address: &str) -> std::io::Result<()> {
    let mut command = if cfg!(target_os = "macos") {
        std::process::Command::new("open")
    } else if cfg!(windows) {
        std::process::Command::new("explorer")
    } else {
        std::process::Command::new("xdg-open")
    };
    let quiet = std::process::Stdio::null;
    command.arg(address).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().map(drop)
}

fn serve_http(
    config: Config,
    matches: &ArgMatches,
    listening: &dyn Fn(SocketAddr),
) -> Result<Exit, ToolError> {
    let texts = |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
    let http = HttpOptions {
        address: *matches.get_one("listen").expect("it has a default"),
        token: token(matches.get_one::<String>("token-file").map(Path::new))?,
        hosts: texts("allow-host"),
        origins: texts("allow-origin"),
        tls: tls_files(matches.get_one("tls-cert").cloned(), matches.get_one("tls-key").cloned()),
    };
    tracing::info!(transport = "http", version = env!("CARGO_PKG_VERSION"), "server started");
    orient_serve::http(options(config, matches), &http, listening).map_err(tool_error)?;
    Ok(Exit::Ok)
}

/// The files of a certificate, if both are given.
pub(crate) fn tls_files(certificate: Option<PathBuf>, key: Option<PathBuf>) -> Option<TlsFiles> {
    Some(TlsFiles { certificate: certificate?, key: key? })
}

/// The scheme of the server's addresses.
pub(crate) fn scheme(is_encrypted: bool) -> &'static str {
    if is_encrypted { "https" } else { "http" }
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
    crate::allocator::keep_memory_between_calls();
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
        release_memory: crate::allocator::release_free_memory,
    }
}

pub(crate) fn tool_error(error: ServeError) -> ToolError {
    match error {
        ServeError::Usage { message, hint } => ToolError::new(Code::BadArgument, message).hint(hint),
        error @ ServeError::System { .. } => ToolError::new(Code::Io, error.to_string()),
    }
}
