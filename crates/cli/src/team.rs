//! `orient team`: the server for many repositories and many people.

use crate::config::{Config, OutputFormat};
use crate::interrupt::Interrupt;
use crate::{allocator, render};
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use orient_serve::{HttpOptions, SharedOptions, shared_http};
use orient_team::{
    BranchStatus, DEFAULT_RATE, DataDirectory, Database, DatabaseLimits, Node, Source, TokenLine, TokenScope,
    WorkOutcome, Worker, WorkerOptions,
};
use orient_tools::{Code, Exit, Style, TextWriter, ToolError, bytes, plural, write_json_line};
use serde::Serialize;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The arguments of all team commands.
#[derive(Args)]
struct TeamArgs {
    /// Address of the PostgreSQL database, as a URL; the password may be in PGPASSWORD
    #[arg(long, value_name = "URL", env = "ORIENT_TEAM_DATABASE", hide_env_values = true, global = true)]
    database: Option<String>,
    /// Directory for mirrors and indexes of this worker or node [default: `team` in the store of indexes]
    #[arg(long, value_name = "DIR", env = "ORIENT_TEAM_DATA", global = true)]
    data: Option<PathBuf>,
    #[command(subcommand)]
    action: Action,
}

/// What to do.
#[derive(Subcommand)]
enum Action {
    /// Create or migrate the tables in the database
    Init {
        /// Version of the schema to migrate to; 0 removes everything
        #[arg(long, value_name = "VERSION")]
        to: Option<i32>,
    },
    /// Add a repository, or further branches of one; workers index it
    Add {
        /// https://, ssh:// or file:// address, or a path
        #[arg(value_name = "URL|PATH")]
        source: String,
        /// Name of the repository [default: the last part of the address]
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// Branch to keep; may be given several times [default: the source's default branch]
        #[arg(long, value_name = "BRANCH")]
        branch: Vec<String>,
    },
    /// Remove a repository with its indexes
    Remove {
        /// Name of the repository
        name: String,
    },
    /// Compare a repository with its source now
    Reindex {
        /// Name of the repository
        name: String,
        /// Publish it again even if nothing changed
        #[arg(long)]
        rebuild: bool,
    },
    /// Show all repositories and what the workers do with them
    Status,
    /// Index repositories until stopped
    Worker {
        /// Stop when there is nothing to do
        #[arg(long)]
        until_idle: bool,
        /// How often to compare repositories with their sources, in seconds
        #[arg(long, value_name = "SECONDS", default_value_t = 300)]
        interval: u64,
        /// After this time without a sign of life, another worker takes over, in seconds
        #[arg(long, value_name = "SECONDS", default_value_t = 60)]
        lease: u64,
        /// Git configuration file, for credentials
        #[arg(long, value_name = "FILE")]
        git_config: Option<PathBuf>,
    },
    /// Answer questions over HTTP: MCP at /mcp, JSON at /v1/call
    Serve {
        /// Address to listen on; port 0 chooses a free one
        #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7413")]
        listen: SocketAddr,
        /// Additional host name of this server
        #[arg(long, value_name = "NAME")]
        allow_host: Vec<String>,
        /// Origin of a web page that may send requests
        #[arg(long, value_name = "ORIGIN")]
        allow_origin: Vec<String>,
        /// MCP tools to offer: `all`, or a comma-separated list of names
        #[arg(long, value_name = "WHICH")]
        tools: Option<String>,
    },
    /// List, create, rotate or revoke tokens
    Tokens {
        #[command(subcommand)]
        action: Option<TokenAction>,
    },
}

/// What to do with tokens.
#[derive(Subcommand)]
enum TokenAction {
    /// Create a token and print it once
    Create {
        /// Whose token it is
        name: String,
        /// Repository that it may read; may be given several times
        #[arg(long, value_name = "NAME", required_unless_present = "all")]
        repository: Vec<String>,
        /// All repositories, also later ones
        #[arg(long, conflicts_with = "repository")]
        all: bool,
        /// It may also read the metrics
        #[arg(long)]
        admin: bool,
        /// Days until it expires [default: never]
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
        /// Maximum number of requests per minute
        #[arg(long, value_name = "COUNT", default_value_t = DEFAULT_RATE)]
        per_minute: u32,
    },
    /// Replace the text of a token; the former one is refused
    Rotate {
        /// Number of the token
        id: i64,
    },
    /// Refuse a token from now on
    Revoke {
        /// Number of the token
        id: i64,
    },
}

/// The definition of the subcommand.
pub(crate) fn command() -> Command {
    TeamArgs::augment_args(Command::new("team"))
        .about("Serve many repositories to many people, with PostgreSQL")
        .long_about(
            "Serve many repositories to many people, with PostgreSQL.\n\n\
             `init` prepares a database, `add` names repositories, a `worker` mirrors and indexes them, and any number of nodes \
             (`serve`) answer questions of clients with tokens. docs/team.md explains how to operate it.",
        )
        .subcommand_required(true)
}

/// Runs the subcommand.
#[expect(clippy::needless_pass_by_value, reason = "the signature of all subcommands")]
pub(crate) fn run(config: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    let args = TeamArgs::from_arg_matches(matches)
        .map_err(|error| ToolError::new(Code::BadArgument, error.to_string()))?;
    let address = args.database.ok_or_else(|| {
        ToolError::new(Code::BadArgument, "the address of the database is required").hint(
            "give --database or set ORIENT_TEAM_DATABASE, for example to postgres://orient@localhost/orient",
        )
    })?;
    let limits = match args.action {
        Action::Serve { .. } => DatabaseLimits::QUESTIONS,
        _ => DatabaseLimits::WORK,
    };
    let database = Arc::new(Database::new(&address, limits)?);
    if !matches!(args.action, Action::Init { .. }) {
        database.check_schema()?;
    }
    let data = || {
        let default = || orient_settings::store_root().map(|store| store.join("team"));
        let path = args.data.clone().or_else(default);
        let path = path.ok_or_else(|| ToolError::new(Code::BadArgument, "--data is required"))?;
        Ok::<_, ToolError>(DataDirectory::open(&path)?)
    };
    match args.action {
        Action::Init { to } => {
            let (before, after) = database.migrate(to)?;
            say(&config, &format!("schema version {after}, was {before}"))
        }
        Action::Add { source, name, branch } => {
            let source = Source::parse(&source)?;
            let name = name.unwrap_or_else(|| source.default_name());
            database.add_repository(&name, &source, &branch)?;
            say(&config, &format!("{name} is waiting for a worker"))
        }
        Action::Remove { name } => {
            database.remove_repository(&name)?;
            say(&config, &format!("{name} is removed"))
        }
        Action::Reindex { name, rebuild } => {
            database.reindex(&name, rebuild)?;
            say(&config, &format!("{name} is waiting for a worker"))
        }
        Action::Status => lines(&config, &database.status()?.iter().map(StatusLine::of).collect::<Vec<_>>()),
        Action::Worker { until_idle, interval, lease, git_config } => {
            let options = WorkerOptions {
                lease: Duration::from_secs(lease.max(3)),
                interval: Duration::from_secs(interval.max(1)),
                until_idle,
                git_config,
            };
            work(&config, &Worker::new(database, data()?, options))
        }
        Action::Serve { listen, allow_host, allow_origin, tools } => {
            let node = Arc::new(Node::new(database, data()?)?);
            let http = HttpOptions { address: listen, token: None, hosts: allow_host, origins: allow_origin };
            allocator::keep_memory_between_calls();
            let options = SharedOptions { tools, release_memory: allocator::release_free_memory };
            let listening = |address: SocketAddr| {
                // A failure to write to standard error cannot be reported.
                let _ = writeln!(io::stderr(), "serving on http://{address}/mcp");
            };
            shared_http(&options, &http, node, listening).map_err(crate::serve::tool_error)?;
            Ok(Exit::Ok)
        }
        Action::Tokens { action } => tokens(&config, &database, action),
    }
}

fn tokens(config: &Config, database: &Database, action: Option<TokenAction>) -> Result<Exit, ToolError> {
    match action {
        None => lines(config, &database.tokens()?.iter().map(TokenOut::of).collect::<Vec<_>>()),
        Some(TokenAction::Create { name, repository, all, admin, days, per_minute }) => {
            let repositories = (!all).then_some(repository);
            let scope = TokenScope { repositories, is_admin: admin, days, per_minute };
            let (_, token) = database.create_token(&name, &scope)?;
            say(config, &token)
        }
        Some(TokenAction::Rotate { id }) => say(config, &database.rotate_token(id)?),
        Some(TokenAction::Revoke { id }) => {
            database.revoke_token(id)?;
            say(config, &format!("token {id} is revoked"))
        }
    }
}

fn work(config: &Config, worker: &Worker) -> Result<Exit, ToolError> {
    let interrupt = Interrupt::install();
    interrupt.set_indexing(true);
    let format = config.format;
    worker.run(&interrupt.cancel, &|repository, outcome| {
        let line = WorkLine::of(repository, outcome);
        // A closed terminal does not stop the work.
        let _ = match format {
            OutputFormat::Json => render::raw(|out| write_json_line(&line, out)),
            OutputFormat::Text => render::page(false, |page| line.write(page)),
        };
    })?;
    Ok(Exit::Ok)
}

/// One line of output.
trait OutputLine: Serialize {
    fn write(&self, page: &mut TextWriter<'_>) -> io::Result<()>;
}

fn lines<T: OutputLine>(config: &Config, lines: &[T]) -> Result<Exit, ToolError> {
    let written = match config.format {
        OutputFormat::Json => render::raw(|out| lines.iter().try_for_each(|line| write_json_line(line, out))),
        OutputFormat::Text => {
            render::page(config.colour, |page| lines.iter().try_for_each(|line| line.write(page)))
        }
    };
    written.map_err(|error| ToolError::new(Code::Io, format!("cannot write: {error}")))?;
    Ok(if lines.is_empty() { Exit::Nothing } else { Exit::Ok })
}

fn say(config: &Config, text: &str) -> Result<Exit, ToolError> {
    lines(config, &[Message { done: text.to_owned() }])
}

#[derive(Serialize)]
struct Message {
    /// What was done, or the token.
    done: String,
}

impl OutputLine for Message {
    fn write(&self, page: &mut TextWriter<'_>) -> io::Result<()> {
        page.line(Style::Plain, &self.done)
    }
}

#[derive(Serialize)]
struct StatusLine {
    repository: String,
    branch: String,
    source: String,
    generation: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    files: u64,
    bytes: u64,
    job: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl StatusLine {
    fn of(status: &BranchStatus) -> Self {
        let BranchStatus { repository, source, branch, generation, commit, files, bytes, job, error } =
            status.clone();
        Self { repository, branch, source, generation, commit, files, bytes, job, error }
    }
}

impl OutputLine for StatusLine {
    fn write(&self, page: &mut TextWriter<'_>) -> io::Result<()> {
        page.put(Style::Path, &self.repository)?;
        let branch = if self.branch.is_empty() { "(default branch)" } else { &self.branch };
        page.put(Style::Plain, &format!("  {branch}"))?;
        match &self.commit {
            Some(commit) => {
                let (files, size) = (plural(self.files, "path", "paths"), bytes(self.bytes));
                let short = commit.get(..10).unwrap_or(commit);
                page.put(
                    Style::Plain,
                    &format!("  {short}  {files}, {size}, generation {}", self.generation),
                )?;
            }
            None => page.put(Style::Dim, "  not published")?,
        }
        if !self.job.is_empty() {
            page.put(Style::Dim, &format!("  {}", self.job))?;
        }
        if let Some(error) = &self.error {
            page.put(Style::Plain, &format!("  last error: {error}"))?;
        }
        page.line(Style::Plain, "")
    }
}

#[derive(Serialize)]
struct TokenOut {
    id: i64,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    repositories: Option<Vec<String>>,
    admin: bool,
    created: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
    valid: bool,
}

impl TokenOut {
    fn of(token: &TokenLine) -> Self {
        let TokenLine { id, name, repositories, is_admin, created, expires, is_valid } = token.clone();
        Self { id, name, repositories, admin: is_admin, created, expires, valid: is_valid }
    }
}

impl OutputLine for TokenOut {
    fn write(&self, page: &mut TextWriter<'_>) -> io::Result<()> {
        let scope =
            self.repositories.as_ref().map_or_else(|| "all repositories".to_owned(), |some| some.join(", "));
        let admin = if self.admin { ", admin" } else { "" };
        let expires = self.expires.as_ref().map_or_else(String::new, |day| format!(", until {day}"));
        let state = if self.valid { "" } else { "  (refused)" };
        let (id, name, created) = (self.id, &self.name, &self.created);
        page.line(Style::Plain, &format!("{id}  {name}  {scope}{admin}  since {created}{expires}{state}"))
    }
}

#[derive(Serialize)]
struct WorkLine {
    repository: String,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl WorkLine {
    fn of(repository: &str, outcome: &WorkOutcome) -> Self {
        let empty =
            Self { repository: repository.to_owned(), outcome: "", commit: None, changes: None, error: None };
        match outcome.clone() {
            WorkOutcome::Published { commit, changes } => {
                Self { outcome: "published", commit: Some(commit), changes: Some(changes), ..empty }
            }
            WorkOutcome::Unchanged => Self { outcome: "unchanged", ..empty },
            WorkOutcome::Failed(error) => Self { outcome: "failed", error: Some(error), ..empty },
        }
    }

    fn write(&self, page: &mut TextWriter<'_>) -> io::Result<()> {
        let commit = self.commit.as_deref().map_or("", |commit| commit.get(..10).unwrap_or(commit));
        let changes = self.changes.map_or_else(String::new, |changes| {
            format!("  {}", plural(changes as u64, "entry changed", "entries changed"))
        });
        let error = self.error.as_ref().map_or_else(String::new, |error| format!("  {error}"));
        let Self { repository, outcome, .. } = self;
        page.line(Style::Plain, &format!("{repository}  {outcome}  {commit}{changes}{error}"))
    }
}
