//! `embed`: who makes vectors of the code, whether that works, and whether it may.

use crate::answer::Answer;
use crate::error::{Code, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::session::provider_embedding;
use crate::text::number_format::{bytes, count, duration, plural};
use crate::text::writer::{Cell, Style, TextWriter};
use clap::{Args, ValueEnum};
use orient_embed::{BuiltIn, Embedder, Role};
use orient_providers::{Plan, ProviderError, SystemRuntime, Terms, allow, allowed, environment, forget};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) struct Embed;

/// What is sent to see whether a provider answers: words of ours, no code of anybody's.
const WORDS: &str = "where are the settings read";

/// What to do.
#[derive(Args, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct EmbedArgs {
    /// What to do: `status`, `test`, `run`, `allow` or `forget`
    #[arg(value_enum, default_value_t)]
    action: Action,
}

/// What to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum Action {
    /// Show who is asked, with what, and whether that is allowed
    #[default]
    Status,
    /// Ask once and show how long it took
    Test,
    /// Have all code embedded that is not yet; search asks the provider from then on
    Run,
    /// Allow that code of this project is sent there
    // A person says so, with a command. No program can: in arguments that come as JSON these two do not exist.
    #[serde(skip_deserializing)]
    #[schemars(skip)]
    Allow,
    /// Take that back
    #[serde(skip_deserializing)]
    #[schemars(skip)]
    Forget,
}

/// Who makes vectors.
#[derive(Serialize, JsonSchema)]
pub(crate) struct EmbedOut {
    /// What was done.
    #[schemars(with = "String")]
    action: Action,
    /// Who makes vectors: `built-in`, or a provider.
    provider: String,
    /// With which model.
    model: String,
    /// How many values a vector has; absent where only the model knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
    /// What lies outside of the binary; absent for the built-in model.
    #[serde(skip_serializing_if = "Option::is_none")]
    remote: Option<Remote>,
    /// How many of the chunks of the index are embedded by the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    embedded: Option<Embedded>,
    /// What came of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunOut>,
    /// What came of a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<Trip>,
    /// Whether there was a consent to take back.
    #[serde(skip_serializing_if = "Option::is_none")]
    forgotten: Option<bool>,
    /// What questions are answered with while the provider does not answer.
    fallback: String,
}

/// A provider outside of the binary.
#[derive(Serialize, JsonSchema)]
struct Remote {
    /// Where requests go.
    url: String,
    /// Whether that is on this machine.
    local: bool,
    /// Whether nobody on the way can read them.
    encrypted: bool,
    /// Whether code of this project may go there: `not_needed` for this machine, `allowed`, or `missing`.
    consent: Consent,
    /// Its key.
    key: KeyState,
    /// How many texts a request holds at most.
    batch: usize,
    /// How many requests are under way at once.
    concurrency: usize,
    /// How many seconds one may take.
    timeout: u64,
    /// What was allowed earlier, and is something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_instead: Option<String>,
}

/// How far a provider is.
#[derive(Serialize, JsonSchema)]
struct Embedded {
    /// Chunks it has embedded.
    chunks: u64,
    /// All chunks of the index.
    total: u64,
}

/// A run.
#[derive(Serialize, JsonSchema)]
struct RunOut {
    /// Chunks that were sent, and came back as vectors.
    chunks: u64,
    /// Bytes of them.
    bytes: u64,
    /// How long it took, in milliseconds.
    elapsed_ms: u64,
}

/// The key of a provider, of which only this is told.
#[derive(Serialize, JsonSchema)]
struct KeyState {
    /// The variable it is read from.
    variable: &'static str,
    /// Whether that holds anything.
    set: bool,
    /// Whether nothing works without it.
    needed: bool,
}

/// Whether code may go somewhere.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Consent {
    /// It stays on this machine.
    NotNeeded,
    /// The user said so.
    Allowed,
    /// Nobody said so.
    Missing,
}

/// A test.
#[derive(Serialize, JsonSchema)]
struct Trip {
    /// Milliseconds to the first answer, with all that a first time takes.
    first_ms: u64,
    /// Milliseconds to the next.
    next_ms: u64,
}

impl TypedOperation for Embed {
    const NAME: &'static str = "embed";
    const ABOUT: &'static str = "Show, test, run, allow or forget the provider that embeds the code";
    const DETAILS: &'static str = "\
By default the model inside the binary makes all vectors and nothing leaves the machine. The settings embed.provider, \
embed.model and embed.url choose another provider. Before any code is sent there, `orient embed allow` must have been \
typed for this project; that holds for exactly this provider, address and model, and any change asks again. A provider \
on this machine needs no consent, but gets a key only with it. A repository cannot choose one. Keys come from the \
environment alone. `test` sends a few words, and no code. `run` has the code embedded: what is done is kept, so that a run which was ended goes on where it was, \
and later runs send changed code alone. Servers and `watch` do the same in the background. Search asks the provider once \
nine chunks of ten are embedded, and says which model answered.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "embed status", about: "who embeds the code, and whether that is allowed" },
        Example { command: "embed test", about: "ask once: how long it takes, how many values a vector has" },
        Example { command: "embed allow", about: "allow the provider of the settings for this project" },
        Example { command: "embed run", about: "have the code embedded, for search to use" },
        Example { command: "embed forget", about: "take that back" },
    ];
    const ASKS: bool = false;
    type Args = EmbedArgs;
    type Out = EmbedOut;

    fn run(session: &Session<'_>, args: EmbedArgs) -> Result<Answer<EmbedOut>, ToolError> {
        let plan = match Plan::from_settings(&session.loaded().settings.embed) {
            Ok(plan) => plan,
            // Consent can be taken back whatever the settings say now.
            Err(_) if args.action == Action::Forget => None,
            Err(error) => return Err(error.into()),
        };
        let folder = session.private_folder(args.action == Action::Allow)?;
        let (mut test, mut forgotten, mut measured, mut run) = (None, None, None, None);
        match (args.action, &plan) {
            (Action::Status, _) => {}
            (Action::Test, Some(plan)) => {
                let (trip, dimension) = asked(session, plan, &plan.permission(&folder)?)?;
                (test, measured) = (Some(trip), Some(dimension));
            }
            (Action::Test, None) => {
                test = Some(timed(|| {
                    BuiltIn::shared().embed_text(WORDS);
                    Ok(())
                })?);
            }
            (Action::Run, Some(plan)) => run = Some(ran(session, plan, &folder)?),
            (Action::Run, None) => return Err(nothing_to_run()),
            (Action::Allow, Some(plan)) => allow(&folder, &plan.terms())?,
            (Action::Allow, None) => return Err(nothing_to_allow()),
            (Action::Forget, _) => forgotten = Some(forget(&folder)?),
        }
        let out = match &plan {
            Some(plan) => of_plan(args.action, plan, allowed(&folder), measured),
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
                let said = out.run.as_ref().map_or_else(String::new, RunOut::said);
                writer.line(Style::Head, &said)?;
            }
            (_, Some(true), _) => writer.line(Style::Head, "forgotten: nothing may be sent any more")?,
            (_, Some(false), _) => writer.line(Style::Head, "there was nothing to forget")?,
            (.., Some(trip)) => {
                let [first, next] =
                    [trip.first_ms, trip.next_ms].map(|ms| duration(Duration::from_millis(ms)));
                writer.line(Style::Head, &format!("it answers: {first} the first time, then {next}"))?;
            }
            _ => {}
        }
        writer.table(0, &rows(out))?;
        if out.remote.as_ref().is_some_and(|remote| !remote.local && !remote.encrypted) {
            writer.line(Style::Warn, "not encrypted: everybody on the way can read the code and the key")?;
        }
        Ok(())
    }
}

fn rows(out: &EmbedOut) -> Vec<Vec<Cell>> {
    let row = |name: &str, value: String| vec![Cell::new(Style::Head, name), Cell::new(Style::Plain, value)];
    let dimensions =
        out.dimensions.map_or_else(|| "as many as the model has".to_owned(), |it| it.to_string());
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
        (false, false) => "not set, and not needed by all",
    };
    let consent = match (remote.consent, &remote.allowed_instead) {
        (Consent::NotNeeded, _) => "not needed: nothing leaves this machine".to_owned(),
        (Consent::Allowed, _) => "given".to_owned(),
        (Consent::Missing, None) => "missing: `orient embed allow` gives it".to_owned(),
        (Consent::Missing, Some(instead)) => {
            format!("missing: given to {instead}; `orient embed allow` gives it to this one")
        }
    };
    rows.extend([
        row("url", remote.url.clone()),
        row("key", format!("{}: {key}", remote.key.variable)),
        row("consent", consent),
        row(
            "limits",
            format!(
                "{} texts a request, {} requests at once, {} s each",
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
    fn said(&self) -> String {
        if self.chunks == 0 {
            return "everything was embedded before".to_owned();
        }
        let (chunks, time) = (plural(self.chunks, "chunk", "chunks"), Duration::from_millis(self.elapsed_ms));
        format!("{chunks} embedded, {} in {}", bytes(self.bytes), duration(time))
    }
}

/// Has everything embedded, after catching up with the files.
fn ran(session: &Session<'_>, plan: &Plan, folder: &Path) -> Result<RunOut, ToolError> {
    // Without leave not even the index is looked at.
    plan.permission(folder)?;
    drop(session.snapshot()?);
    let ran = provider_embedding::run(session, plan, folder, session.progress())?;
    let elapsed_ms = u64::try_from(ran.elapsed.as_millis()).unwrap_or(u64::MAX);
    Ok(RunOut { chunks: ran.texts, bytes: ran.bytes, elapsed_ms })
}

/// Asks a provider, and how many values it gave.
fn asked(
    session: &Session<'_>,
    plan: &Plan,
    leave: &orient_providers::Permission,
) -> Result<(Trip, usize), ToolError> {
    let cancel = session.cancel().clone();
    let world = Arc::new(SystemRuntime::new(move || cancel.is_cancelled()));
    let (mut provider, mut dimension) = (None, 0);
    let trip = timed(|| {
        let provider = match &mut provider {
            Some(provider) => provider,
            none => none.insert(plan.connect(leave, &environment, None, world.clone())?),
        };
        let sums = provider.embed(&[WORDS], Role::Query).map_err(ProviderError::from)?;
        dimension = sums.first().map_or(0, orient_embed::TextEmbedding::dimension);
        Ok(())
    })?;
    Ok((trip, dimension))
}

/// Does something twice.
fn timed(mut work: impl FnMut() -> Result<(), ToolError>) -> Result<Trip, ToolError> {
    let mut once = || {
        let begun = Instant::now();
        work()?;
        Ok::<_, ToolError>(u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX))
    };
    Ok(Trip { first_ms: once()?, next_ms: once()? })
}

fn nothing_to_run() -> ToolError {
    ToolError::new(Code::BadArgument, "there is nothing to run: the built-in model embeds while it indexes")
        .hint(
            "choose a provider first, for example with `provider = \"ollama\"` under [embed] in the settings",
        )
}

fn nothing_to_allow() -> ToolError {
    ToolError::new(Code::BadArgument, "there is nothing to allow: the built-in model sends nothing anywhere")
        .hint(
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
