//! `orient team`: the server for many repositories and many people.

use crate::config::{Config, OutputFormat};
use crate::interrupt::Interrupt;
use crate::serve::{scheme, tls_files};
use crate::team_output::{CheckOut, GroupOut, StatusLine, TokenOut, WorkLine, lines, say};
use crate::{allocator, render};
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use orient_providers::KeySetAddress;
use orient_serve::{HttpOptions, IdentityProviderOptions, KeyFetcher, SharedOptions, shared_http};
use orient_team::{
    DEFAULT_RATE, DataDirectory, Database, DatabaseLimits, Node, NodeOptions, Source, TokenScope, Worker,
    WorkerOptions,
};
use orient_tools::{Code, Exit, ToolError, write_json_line};
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
        /// How long a question about several repositories waits for those that this node is still indexing, in seconds
        #[arg(long, value_name = "SECONDS", default_value_t = 1.5)]
        wait: f32,
        /// Index a repository when it is first asked about, instead of all in advance
        #[arg(long)]
        on_demand: bool,
        /// Certificate with its chain (PEM): connections are encrypted
        #[arg(long, value_name = "FILE", requires = "tls_key")]
        tls_cert: Option<PathBuf>,
        /// Private key of the certificate (PEM)
        #[arg(long, value_name = "FILE", requires = "tls_cert")]
        tls_key: Option<PathBuf>,
        #[command(flatten)]
        identity: IdentityArgs,
    },
    /// List which groups of the identity provider may read which repositories, or change that
    Groups {
        #[command(subcommand)]
        action: Option<GroupAction>,
    },
    /// Print a new secret for signed notifications about a repository, sent to /v1/hooks/NAME
    Webhook {
        /// Name of the repository
        name: String,
    },
    /// Check that the database is consistent, after restoring a backup for example
    BackupCheck,
    /// List, create, rotate or revoke tokens
    Tokens {
        #[command(subcommand)]
        action: Option<TokenAction>,
    },
}

/// The identity provider whose access tokens are accepted.
#[derive(Args)]
struct IdentityArgs {
    /// Issuer of access tokens (OAuth), exactly as they name it
    #[arg(long = "oauth-issuer", value_name = "URL", requires_all = ["resource", "keys"])]
    issuer: Option<String>,
    /// Address of this server's MCP endpoint for clients: the audience that access tokens must have
    #[arg(long = "oauth-resource", value_name = "URL", requires = "issuer")]
    resource: Option<String>,
    /// Keys of the issuer (JWKS): an address, or a file
    #[arg(long = "oauth-keys", value_name = "URL|FILE", requires = "issuer")]
    keys: Option<String>,
    /// Claim that lists the groups of a person
    #[arg(long = "oauth-groups", value_name = "NAME", default_value = "groups")]
    groups_claim: String,
}

impl IdentityArgs {
    fn options(self) -> Result<Option<IdentityProviderOptions>, ToolError> {
        let Self { issuer, resource, keys, groups_claim } = self;
        let (Some(issuer), Some(resource), Some(keys)) = (issuer, resource, keys) else {
            return Ok(None);
        };
        let is_address = |text: &str| text.starts_with("https://") || text.starts_with("http://");
        if !is_address(&resource) || resource.contains(['?', '#', '"', '\\']) {
            return Err(ToolError::new(Code::BadArgument, "--oauth-resource is not an address"));
        }
        let keys: KeyFetcher = if is_address(&keys) {
            let address = KeySetAddress::new(&keys)
                .map_err(|reason| ToolError::new(Code::BadArgument, format!("--oauth-keys: {reason}")))?;
            Box::new(move || address.fetch())
        } else {
            Box::new(move || std::fs::read(&keys).map_err(|error| error.to_string()))
        };
        Ok(Some(IdentityProviderOptions { issuer, resource, groups_claim, keys }))
    }
}

/// What to do with groups.
#[derive(Subcommand)]
enum GroupAction {
    /// Let a group read repositories
    Grant {
        /// The group, as the identity provider writes it
        name: String,
        /// Repository that it may read; may be given several times
        #[arg(long, value_name = "NAME", required_unless_present = "all")]
        repository: Vec<String>,
        /// All repositories, also later ones
        #[arg(long, conflicts_with = "repository")]
        all: bool,
    },
    /// Take repositories from a group, at once
    Withdraw {
        /// The group
        name: String,
        /// Repository; may be given several times [default: everything that it may read]
        #[arg(long, value_name = "NAME")]
        repository: Vec<String>,
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
        Action::Serve {
            listen,
            allow_host,
            allow_origin,
            tools,
            wait,
            on_demand,
            tls_cert,
            tls_key,
            identity,
        } => {
            let provider = identity.options()?;
            let patience = Duration::try_from_secs_f32(wait).map_err(|_| {
                ToolError::new(Code::BadArgument, "--wait must be a number of seconds, for example 1.5")
            })?;
            let options = NodeOptions { patience, prepare: !on_demand };
            let node = Arc::new(Node::new(database, data()?, options)?);
            let tls = tls_files(tls_cert, tls_key);
            let scheme = scheme(tls.is_some());
            let http =
                HttpOptions { address: listen, token: None, hosts: allow_host, origins: allow_origin, tls };
            allocator::keep_memory_between_calls();
            let options = SharedOptions { tools, release_memory: allocator::release_free_memory };
            let listening = |address: SocketAddr| {
                // A failure to write to standard error cannot be reported.
                let _ = writeln!(io::stderr(), "serving on {scheme}://{address}/mcp");
            };
            shared_http(&options, &http, node, provider, &listening).map_err(crate::serve::tool_error)?;
            Ok(Exit::Ok)
        }
        Action::Webhook { name } => say(&config, &database.renew_hook_secret(&name)?),
        Action::BackupCheck => {
            let report = CheckOut::of(database.check_backup()?);
            lines(&config, std::slice::from_ref(&report))?;
            Ok(if report.consistent { Exit::Ok } else { Exit::Nothing })
        }
        Action::Tokens { action } => tokens(&config, &database, action),
        Action::Groups { action } => groups(&config, &database, action),
    }
}

fn groups(config: &Config, database: &Database, action: Option<GroupAction>) -> Result<Exit, ToolError> {
    match action {
        None => lines(config, &database.groups()?.into_iter().map(GroupOut::of).collect::<Vec<_>>()),
        Some(GroupAction::Grant { name, repository, all }) => {
            database.grant_group(&name, (!all).then_some(repository.as_slice()))?;
            say(config, &format!("{name} is granted"))
        }
        Some(GroupAction::Withdraw { name, repository }) => {
            database.withdraw_group(&name, (!repository.is_empty()).then_some(repository.as_slice()))?;
            say(config, &format!("{name} is withdrawn"))
        }
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
