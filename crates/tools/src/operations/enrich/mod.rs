//! `enrich`: asks language servers about what our own rules cannot prove, with the user's consent.

mod background;
mod server_runs;
mod server_states;

pub use background::BackgroundLayers;
pub(crate) use background::BackgroundState;

use crate::answer::Answer;
use crate::error::{Code, Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use clap::{Args, ValueEnum};
use orient_engine::{LayerSource, LayerStatus, Snapshot};
use orient_enrich::{EnrichError, allow, deny, version_of};
use serde::Serialize;
use server_runs::RunLine;
use server_states::{KnownServers, ServerLine, ServerState, program};
use std::io;

pub(crate) struct Enrich;

/// Maximum number of files to list for each reason.
const MAX_LISTED: usize = 20;

/// Arguments of `enrich`.
#[derive(Args)]
pub(crate) struct EnrichArgs {
    /// The action: `run`, `status`, `allow`, `deny` or `drop`
    #[arg(value_enum, default_value_t)]
    action: Action,
    /// The servers to allow, deny or ask. Default: all for the languages of the repository
    #[arg(value_name = "SERVER")]
    servers: Vec<String>,
    /// Ask only about files of this language; may be given several times
    #[arg(long, value_name = "LANGUAGE")]
    language: Vec<String>,
    /// Maximum number of questions
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Ask again what was answered before
    #[arg(long)]
    again: bool,
}

/// What to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum Action {
    /// Ask the allowed servers
    #[default]
    Run,
    /// Show the servers, what they would run, and what they have answered
    Status,
    /// Allow starting servers for this repository
    // Only a person can give or revoke consent: programs do not call this operation.
    Allow,
    /// Revoke the consent
    Deny,
    /// Remove what servers have answered; the graph is resolved without it
    Drop,
}

/// The language servers of a repository.
#[derive(Serialize)]
pub(crate) struct EnrichOut {
    /// The action.
    action: Action,
    /// The servers for the languages of the repository.
    servers: Vec<ServerLine>,
    /// What each server was asked in this run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    runs: Vec<RunLine>,
    /// What servers have answered so far; absent if nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    layer: Option<LayerLine>,
    /// What happens in the background.
    background: BackgroundState,
    /// Whether `drop` removed answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped: Option<bool>,
    /// The servers whose consent `deny` revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    denied: Option<Vec<String>>,
}

/// What servers have answered so far.
#[derive(Serialize)]
struct LayerLine {
    /// The servers.
    tools: Vec<String>,
    /// Number of files that the answers describe as they are now.
    covered: u64,
    /// Number of files that were edited since: our rules resolve them.
    outdated: u64,
    /// Number of files that were not answered completely.
    incomplete: u64,
    /// The first of them.
    incomplete_files: Vec<IncompleteFile>,
    /// Whether the setting enrich.layer turns the answers off.
    off: bool,
}

/// A file that a server did not answer completely.
#[derive(Serialize)]
pub(super) struct IncompleteFile {
    /// Its path.
    path: String,
    /// `syntactic_only`: our own graph stands where there is no answer; `failed`: nothing was answered.
    status: &'static str,
    /// `semantic_unavailable`, `project_load_failed`, `plugin_blocked`, `timeout` or `oom_restart`.
    error: &'static str,
    /// The reason in words; empty if it is not known any more.
    #[serde(skip_serializing_if = "String::is_empty")]
    detail: String,
}

impl TypedOperation for Enrich {
    const NAME: &'static str = "enrich";
    const ABOUT: &'static str = "Ask language servers about what our own rules cannot prove";
    const DETAILS: &'static str = "\
A language server is a program that may run code of the repository: build scripts, macros, plugins. So nothing is started before \
`orient enrich allow` for this repository, which shows what would run; the consent names the program, its arguments and its version, and \
is kept outside the repository. Only uses that are unresolved, ambiguous or less than exact are asked about, and members that \
others implement. Answers are kept by content: they add and replace edges, with the rule `compiler`, until the file of the use or that of the target \
is edited. Once a server is allowed, Orient servers (`mcp`, `serve`, `watch`) ask it in the background while nothing changes, unless `background = false` under \
[enrich] in the settings; `orient status` shows the state. `orient audit --layer` shows what changed; `drop`, or `layer = false` under [enrich] in the settings, restores the graph \
without them.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "enrich status", about: "the servers, what they run, what they answered" },
        Example { command: "enrich allow gopls", about: "allow one server for this repository" },
        Example { command: "enrich", about: "ask the allowed servers" },
        Example { command: "enrich --limit 500", about: "at most 500 questions" },
        Example { command: "enrich deny", about: "revoke every consent" },
        Example { command: "enrich drop", about: "remove the answers" },
    ];
    const EXPOSED: bool = false;
    const ANY_REVISION: bool = false;
    type Args = EnrichArgs;
    type Out = EnrichOut;

    fn run(session: &Session<'_>, args: EnrichArgs) -> Result<Answer<EnrichOut>, ToolError> {
        let directory = session.private_directory(args.action == Action::Allow)?;
        let snapshot = session.snapshot()?;
        let known = KnownServers::of(session, &snapshot, &args.servers, &args.language)?;
        let (mut runs, mut dropped, mut denied) = (Vec::new(), None, None);
        match args.action {
            Action::Status => {}
            Action::Allow => allow_all(session, &known, &directory, !args.servers.is_empty())?,
            Action::Deny => denied = Some(deny(&directory, session.root(), &args.servers)?),
            Action::Drop => dropped = Some(session.engine()?.drop_compiler_layer(LayerSource::Servers)?),
            Action::Run => {
                if session.in_memory() {
                    return Err(ToolError::new(Code::Io, "answers of servers need a store on disk"));
                }
                let permitted = known.permitted(session, &directory)?;
                runs = server_runs::ask_all(session, &snapshot, &permitted, args.limit, args.again)?;
            }
        }
        let servers = known.lines(session, &directory);
        let layer = layer_line(session, &snapshot)?;
        let changed = runs.iter().any(RunLine::has_answers) || dropped == Some(true);
        let background = BackgroundState::of(session);
        let out = EnrichOut { action: args.action, servers, runs, layer, background, dropped, denied };
        let answer = session.answer(&snapshot, out);
        Ok(if changed { answer.note("the next question resolves the repository again") } else { answer })
    }

    fn text(out: &EnrichOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        match out.action {
            Action::Run => {
                out.runs.iter().try_for_each(|run| run.write(writer))?;
                let left = out.servers.iter().filter(|server| server.state != ServerState::Allowed);
                for server in left {
                    server.write_reason(writer)?;
                }
                Ok(())
            }
            Action::Drop => {
                let text = if out.dropped == Some(true) { "the answers were removed" } else { "no answers" };
                writer.line(Style::Head, text)
            }
            Action::Deny => match out.denied.as_deref() {
                Some([]) | None => writer.line(Style::Head, "there was no consent to revoke"),
                Some(names) => {
                    writer.line(Style::Head, &format!("not allowed any more: {}", names.join(", ")))
                }
            },
            Action::Allow | Action::Status => {
                if out.servers.is_empty() {
                    writer.line(Style::Head, "no server is known for the languages of this repository")?;
                }
                out.servers.iter().try_for_each(|server| server.write(writer))?;
                out.layer.as_ref().map_or(Ok(()), |layer| layer.write(writer))?;
                writer.put(Style::Dim, "in the background: ")?;
                writer.line(Style::Dim, &out.background.reason)
            }
        }
    }

    fn exit(out: &EnrichOut) -> Exit {
        let nothing = match out.action {
            Action::Run => !out.runs.is_empty() && out.runs.iter().all(RunLine::is_fruitless),
            Action::Drop => out.dropped == Some(false),
            Action::Deny => out.denied.as_ref().is_some_and(Vec::is_empty),
            Action::Allow | Action::Status => false,
        };
        if nothing { Exit::Nothing } else { Exit::Ok }
    }
}

/// Allows servers: the named ones, or all that are installed.
fn allow_all(
    session: &Session<'_>,
    known: &KnownServers,
    directory: &std::path::Path,
    is_named: bool,
) -> Result<(), ToolError> {
    let mut any = false;
    for server in known.startable() {
        let found = match program(session, server) {
            Ok(found) => found,
            Err(EnrichError::NotInstalled { .. } | EnrichError::Incomplete { .. }) if !is_named => continue,
            Err(error) => return Err(error.into()),
        };
        let version = version_of(server, &found, session.root(), directory)?;
        allow(directory, session.root(), server, &found, &version)?;
        any = true;
    }
    if any { Ok(()) } else { Err(known.nothing_to_start()) }
}

fn layer_line(session: &Session<'_>, snapshot: &Snapshot) -> Result<Option<LayerLine>, ToolError> {
    let Some(status) = snapshot.layer_status(LayerSource::Servers)? else { return Ok(None) };
    Ok(Some(LayerLine::of(&status, !session.loaded().settings.enrich.layer)))
}

impl LayerLine {
    fn of(status: &LayerStatus, off: bool) -> Self {
        let shown = status.incomplete.iter().take(MAX_LISTED);
        let shown = shown.filter_map(|(path, status)| {
            let error = status.error()?.as_str();
            Some(IncompleteFile {
                path: path.display().into_owned(),
                status: status.as_str(),
                error,
                detail: String::new(),
            })
        });
        Self {
            tools: status.tools.clone(),
            covered: status.covered,
            outdated: status.outdated.len() as u64,
            incomplete: status.incomplete.len() as u64,
            incomplete_files: shown.collect(),
            off,
        }
    }

    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Head, &format!("answers about {}", plural(self.covered, "file", "files")))?;
        writer.plain(&format!(
            ", {} edited since, {} incomplete",
            count(self.outdated),
            count(self.incomplete)
        ))?;
        writer.line(Style::Dim, &format!("  {}", self.tools.join(", ")))?;
        if self.off {
            writer.line(Style::Warn, "  turned off by the setting enrich.layer")?;
        }
        self.incomplete_files.iter().try_for_each(|file| file.write(writer))
    }
}

impl IncompleteFile {
    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.plain("  ")?;
        writer.put(Style::Path, &self.path)?;
        let detail = if self.detail.is_empty() { String::new() } else { format!(": {}", self.detail) };
        writer.line(Style::Warn, &format!("  {} ({}){detail}", self.status, self.error))
    }
}

impl From<EnrichError> for ToolError {
    fn from(error: EnrichError) -> Self {
        let text = error.to_string();
        match error {
            EnrichError::NotInstalled { install, .. } | EnrichError::Incomplete { install, .. } => {
                Self::new(Code::NotFound, text).hint(format!("install it: {install}"))
            }
            EnrichError::InsideRepository(_) => Self::new(Code::NotAllowed, text)
                .hint("a repository does not decide what runs; install the server elsewhere"),
            EnrichError::NotAllowed { server } | EnrichError::Changed { server, .. } => {
                Self::new(Code::NotAllowed, text).hint(allow_hint(&server))
            }
            EnrichError::UnknownServer { .. } => Self::new(Code::BadArgument, text),
            EnrichError::BadCommand(_) => Self::new(Code::BadSetting, text),
            EnrichError::Consent { .. } | EnrichError::Start { .. } => Self::new(Code::Io, text),
        }
    }
}

/// What to type to allow a server.
fn allow_hint(server: &str) -> String {
    format!("`orient enrich status` shows what it would run; `orient enrich allow {server}` allows it")
}
