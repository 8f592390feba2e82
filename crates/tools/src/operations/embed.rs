//! `embed`: status, test, run and consent of the embedding provider.

use crate::answer::Answer;
use crate::error::{Code, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::session::provider_embedding;
use crate::text::number_format::{bytes, count, duration, plural};
use crate::text::writer::{Cell, Style, TextWriter};
use clap::{Args, ValueEnum};
use orient_embed::{BuiltIn, Embedder, Role};
use orient_providers::{
    Plan, ProviderError, Purpose, SystemRuntime, Terms, allow, allowed, environment, forget,
};
use serde::Serialize;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) struct Embed;

/// The text that `test` sends to a provider; it contains no code.
const TEST_TEXT: &str = "where are the settings read";

/// What to do.
#[derive(Args)]
pub(crate) struct EmbedArgs {
    /// The action: `status`, `test`, `run`, `allow` or `forget`
    #[arg(value_enum, default_value_t)]
    action: Action,
}

/// What to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum Action {
    /// Show the provider, the model and the consent
    #[default]
    Status,
    /// Send a test request and show how long it takes
    Test,
    /// Embed all code that is not embedded yet; search then uses the provider
    Run,
    /// Allow sending code of this project to the provider
    // Only a person can give or revoke consent: programs do not call this operation.
    Allow,
    /// Revoke the consent
    Forget,
}

/// The embedding provider.
#[derive(Serialize)]
pub(crate) struct EmbedOut {
    /// The action.
    action: Action,
    /// The provider; `built-in` for the built-in model.
    provider: String,
    /// The model.
    model: String,
    /// Dimension of the vectors; absent if unknown before the first response.
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
    /// Details of a provider other than the built-in model.
    #[serde(skip_serializing_if = "Option::is_none")]
    remote: Option<Remote>,
    /// Progress of the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    embedded: Option<Embedded>,
    /// The result of `run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunOut>,
    /// The result of `test`.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<RoundTrip>,
    /// Whether `forget` revoked a consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    forgotten: Option<bool>,
    /// The model used while the provider does not respond.
    fallback: String,
}

/// A provider other than the built-in model.
#[derive(Serialize)]
struct Remote {
    /// The address of requests.
    url: String,
    /// Whether it is on this machine.
    local: bool,
    /// Whether requests are encrypted.
    encrypted: bool,
    /// Whether code of this project may be sent: `not_needed` on this machine, `allowed`, or `missing`.
    consent: Consent,
    /// Its API key.
    key: KeyState,
    /// Maximum number of texts per request.
    batch: usize,
    /// Maximum number of concurrent requests.
    concurrency: usize,
    /// Timeout of a request, in seconds.
    timeout: u64,
    /// An earlier consent for another provider, address or model.
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_instead: Option<String>,
}

/// Progress of a provider.
#[derive(Serialize)]
struct Embedded {
    /// Number of embedded chunks.
    chunks: u64,
    /// Number of chunks in the index.
    total: u64,
}

/// The result of a run.
#[derive(Serialize)]
struct RunOut {
    /// Number of chunks embedded.
    chunks: u64,
    /// Their size in bytes.
    bytes: u64,
    /// Duration in milliseconds.
    elapsed_ms: u64,
}

/// The state of an API key; the key itself is never shown.
#[derive(Serialize)]
struct KeyState {
    /// The environment variable it is read from.
    variable: &'static str,
    /// Whether the variable is set.
    set: bool,
    /// Whether the provider requires a key.
    needed: bool,
}

/// Whether code may be sent to a provider.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Consent {
    /// The provider is on this machine.
    NotNeeded,
    /// The user has allowed it.
    Allowed,
    /// The user has not allowed it.
    Missing,
}

/// The result of a test.
#[derive(Serialize)]
struct RoundTrip {
    /// Milliseconds of the first request, including the connection.
    first_ms: u64,
    /// Milliseconds of the second request.
    next_ms: u64,
}

impl TypedOperation for Embed {
    const NAME: &'static str = "embed";
    const ABOUT: &'static str = "Show, test, run, allow or forget the embedding provider";
    const DETAILS: &'static str = "\
By default the built-in model computes all vectors, and nothing leaves the machine. The settings embed.provider, embed.model \
and embed.url choose another provider; a repository cannot set them. Code is sent only after `orient embed allow` for this \
project; the consent is valid for exactly this provider, address and model. A provider on this machine needs no consent, \
but receives an API key only with it. Keys are read from the environment only. `test` sends a few words, and no code. `run` \
embeds the code: an interrupted run can be continued, and later runs send only changed code. Servers and `watch` do the same \
in the background. Search uses the provider once it has embedded 90 % of the chunks, and says which model it used.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "embed status", about: "the provider, and whether it is allowed" },
        Example { command: "embed test", about: "latency and dimension of the vectors" },
        Example { command: "embed allow", about: "allow the configured provider for this project" },
        Example { command: "embed run", about: "embed the code for search" },
        Example { command: "embed forget", about: "revoke the consent" },
    ];
    const EXPOSED: bool = false;
    const ANY_REVISION: bool = false;
    type Args = EmbedArgs;
    type Out = EmbedOut;

    fn run(session: &Session<'_>, args: EmbedArgs) -> Result<Answer<EmbedOut>, ToolError> {
        let plan = match Plan::from_settings(&session.loaded().settings.embed) {
            Ok(plan) => plan,
            // Consent can be revoked whatever the current settings are.
            Err(_) if args.action == Action::Forget => None,
            Err(error) => return Err(error.into()),
        };
        let directory = session.private_directory(args.action == Action::Allow)?;
        let (mut test, mut forgotten, mut measured, mut run) = (None, None, None, None);
        match (args.action, &plan) {
            (Action::Status, _) => {}
            (Action::Test, Some(plan)) => {
                let (trip, dimension) = test_provider(session, plan, &plan.permission(&directory)?)?;
                (test, measured) = (Some(trip), Some(dimension));
            }
            (Action::Test, None) => {
                test = Some(timed(|| {
                    BuiltIn::shared().embed_text(TEST_TEXT);
                    Ok(())
                })?);
            }
            (Action::Run, Some(plan)) => run = Some(run_provider(session, plan, &directory)?),
            (Action::Run, None) => return Err(nothing_to_run()),
            (Action::Allow, Some(plan)) => allow(&directory, Purpose::Embedding, &plan.terms())?,
            (Action::Allow, None) => return Err(nothing_to_allow()),
            (Action::Forget, _) => forgotten = Some(forget(&directory, Purpose::Embedding)?),
        }
        let out = match &plan {
            Some(plan) => of_plan(args.action, plan, allowed(&directory, Purpose::Embedding), measured),
            None => of_built_in(args.action),
        };
        let embedded = match &plan {
            Some(plan) => session
                .snapshot_without_refresh()?
                .map(|snapshot| provider_embedding::coverage(&snapshot, plan)),
            None => None,
        };
        let embedded = embedded.transpose()?.map(|it| Embedded { chunks: it.known, total: it.total });
        Ok(Answer::new(EmbedOut { embedded, run, test, forgotten, ..out }))
    }

    fn text(out: &EmbedOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        match (out.action, out.forgotten, &out.test) {
            (Action::Allow, ..) => {
                let place = out.remote.as_ref().map_or("", |remote| &remote.url);
                writer
                    .line(Style::Head, &format!("allowed for this project: code may be sent to {place}"))?;
            }
            (Action::Run, ..) => {
                let summary = out.run.as_ref().map_or_else(String::new, RunOut::summary);
                writer.line(Style::Head, &summary)?;
            }
            (_, Some(true), _) => writer.line(Style::Head, "consent revoked: no code will be sent")?,
            (_, Some(false), _) => writer.line(Style::Head, "there was no consent to revoke")?,
            (.., Some(trip)) => {
                let [first, next] =
                    [trip.first_ms, trip.next_ms].map(|ms| duration(Duration::from_millis(ms)));
                writer.line(
                    Style::Head,
                    &format!("it responds: first request {first}, second request {next}"),
                )?;
            }
            _ => {}
        }
        writer.table(0, &rows(out))?;
        if out.remote.as_ref().is_some_and(|remote| !remote.local && !remote.encrypted) {
            writer.line(Style::Warn, "not encrypted: others on the network can read the code and the key")?;
        }
        Ok(())
    }
}

fn rows(out: &EmbedOut) -> Vec<Vec<Cell>> {
    let row = |name: &str, value: String| vec![Cell::new(Style::Head, name), Cell::new(Style::Plain, value)];
    let dimensions =
        out.dimensions.map_or_else(|| "unknown before the first response".to_owned(), |it| it.to_string());
    let mut rows = vec![
        row("provider", out.provider.clone()),
        row("model", out.model.clone()),
        row("dimensions", dimensions),
    ];
    let Some(remote) = &out.remote else { return rows };
    let key = match (remote.key.set, remote.key.needed) {
        (true, _) if remote.consent == Consent::NotNeeded => "set, and not sent without `orient embed allow`",
        (true, _) => "set",
        (false, true) => "missing",
        (false, false) => "not set, and not always needed",
    };
    let consent = match (remote.consent, &remote.allowed_instead) {
        (Consent::NotNeeded, _) => "not needed: nothing leaves this machine".to_owned(),
        (Consent::Allowed, _) => "given".to_owned(),
        (Consent::Missing, None) => "missing: run `orient embed allow`".to_owned(),
        (Consent::Missing, Some(instead)) => {
            format!("missing (given for {instead}): run `orient embed allow`")
        }
    };
    rows.extend([
        row("url", remote.url.clone()),
        row("key", format!("{}: {key}", remote.key.variable)),
        row("consent", consent),
        row(
            "limits",
            format!(
                "{} texts per request, {} concurrent requests, timeout {} s",
                remote.batch, remote.concurrency, remote.timeout
            ),
        ),
        row("fallback", out.fallback.clone()),
    ]);
    if let Some(embedded) = &out.embedded {
        let (chunks, total) = (count(embedded.chunks), count(embedded.total));
        rows.push(row("embedded", format!("{chunks} of {total} chunks")));
    }
    rows
}

fn of_built_in(action: Action) -> EmbedOut {
    let built_in = BuiltIn::shared();
    EmbedOut {
        action,
        provider: orient_providers::BUILT_IN.to_owned(),
        model: built_in.model().to_string(),
        dimensions: Some(built_in.dimension()),
        remote: None,
        embedded: None,
        run: None,
        test: None,
        forgotten: None,
        fallback: built_in.model().to_string(),
    }
}

fn of_plan(action: Action, plan: &Plan, allowed: Option<Terms>, dimensions: Option<usize>) -> EmbedOut {
    let (endpoint, limits, key) = (plan.endpoint(), plan.limits(), plan.kind().key);
    let consent = match &allowed {
        Some(terms) if *terms == plan.terms() => Consent::Allowed,
        _ if endpoint.is_local() => Consent::NotNeeded,
        _ => Consent::Missing,
    };
    let remote = Remote {
        url: endpoint.url().to_owned(),
        local: endpoint.is_local(),
        encrypted: endpoint.is_encrypted(),
        consent,
        key: KeyState { variable: key.variable, set: plan.has_key(&environment), needed: key.needed },
        batch: limits.texts,
        concurrency: limits.requests,
        timeout: plan.timeout().as_secs(),
        allowed_instead: allowed.filter(|_| consent == Consent::Missing).map(|terms| terms.to_string()),
    };
    EmbedOut {
        provider: plan.kind().name.to_owned(),
        model: plan.model().to_owned(),
        dimensions: dimensions.or(plan.dimensions()),
        remote: Some(remote),
        ..of_built_in(action)
    }
}

impl RunOut {
    fn summary(&self) -> String {
        if self.chunks == 0 {
            return "everything is embedded already".to_owned();
        }
        let (chunks, time) = (plural(self.chunks, "chunk", "chunks"), Duration::from_millis(self.elapsed_ms));
        format!("{chunks} embedded, {} in {}", bytes(self.bytes), duration(time))
    }
}

/// Refreshes the index, and embeds all pending chunks.
fn run_provider(session: &Session<'_>, plan: &Plan, directory: &Path) -> Result<RunOut, ToolError> {
    // Check the consent before anything else.
    plan.permission(directory)?;
    drop(session.snapshot()?);
    let run = provider_embedding::run(session, plan, directory, session.progress())?;
    let elapsed_ms = u64::try_from(run.elapsed.as_millis()).unwrap_or(u64::MAX);
    Ok(RunOut { chunks: run.texts, bytes: run.bytes, elapsed_ms })
}

/// Sends a test request; returns the timing and the dimension of the vectors.
fn test_provider(
    session: &Session<'_>,
    plan: &Plan,
    permission: &orient_providers::Permission,
) -> Result<(RoundTrip, usize), ToolError> {
    let cancel = session.cancel().clone();
    let runtime = Arc::new(SystemRuntime::new(move || cancel.is_cancelled()));
    let (mut provider, mut dimension) = (None, 0);
    let trip = timed(|| {
        let provider = match &mut provider {
            Some(provider) => provider,
            none => none.insert(plan.connect(permission, &environment, None, runtime.clone())?),
        };
        let sums = provider.embed(&[TEST_TEXT], Role::Query).map_err(ProviderError::from)?;
        dimension = sums.first().map_or(0, orient_embed::TextEmbedding::dimension);
        Ok(())
    })?;
    Ok((trip, dimension))
}

/// Times two runs of some work.
fn timed(mut work: impl FnMut() -> Result<(), ToolError>) -> Result<RoundTrip, ToolError> {
    let mut once = || {
        let begun = Instant::now();
        work()?;
        Ok::<_, ToolError>(u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX))
    };
    Ok(RoundTrip { first_ms: once()?, next_ms: once()? })
}

fn nothing_to_run() -> ToolError {
    ToolError::new(Code::BadArgument, "nothing to run: the built-in model embeds while indexing").hint(
        "choose a provider first, for example with `provider = \"ollama\"` under [embed] in the settings",
    )
}

fn nothing_to_allow() -> ToolError {
    ToolError::new(Code::BadArgument, "nothing to allow: the built-in model sends no code").hint(
        "choose a provider first, for example with `provider = \"ollama\"` under [embed] in the settings",
    )
}

impl From<ProviderError> for ToolError {
    fn from(error: ProviderError) -> Self {
        let code = match &error {
            ProviderError::Unknown { .. }
            | ProviderError::NoModel { .. }
            | ProviderError::NoUrl { .. }
            | ProviderError::Url { .. }
            | ProviderError::NoKey { .. }
            | ProviderError::Key { .. } => Code::BadSetting,
            ProviderError::NotAllowed { .. } => Code::NotAllowed,
            ProviderError::Consent { .. } | ProviderError::Certificates { .. } => Code::Io,
            ProviderError::Embed(_) | ProviderError::CircuitOpen { .. } => Code::Provider,
        };
        Self::new(code, error.to_string())
    }
}
