//! Embedding by a provider: all it has not seen of a tree, now or in the background.

use crate::error::{Code, ToolError};
use crate::session::Session;
use crate::session::open_tree::OpenTree;
use crate::text::number_format::count;
use orient_embed::Embedder;
use orient_engine::{Cancel, EmbeddingCoverage, EngineError, NoProgress, Phase, Progress, Snapshot};
use orient_providers::{Amount, Job, Outcome, Plan, ProviderError, SystemRuntime, embed_all, environment};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often the background looks whether there is something new.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// How long it leaves a provider alone that failed: twice as long each time.
const MIN_BACKOFF: Duration = Duration::from_secs(30);
const MAX_BACKOFF: Duration = Duration::from_mins(30);
/// How long a sleeper may miss that he is to end.
const CANCEL_POLL: Duration = Duration::from_millis(100);

/// What a run did.
pub(crate) struct EmbeddingRun {
    /// Texts that were embedded.
    pub(crate) texts: u64,
    /// Bytes of them.
    pub(crate) bytes: u64,
    pub(crate) elapsed: Duration,
}

/// How far the model of a plan is.
pub(crate) fn coverage(snapshot: &Snapshot, plan: &Plan) -> Result<EmbeddingCoverage, ToolError> {
    Ok(snapshot.coverage(&plan.source(), plan.dimensions().unwrap_or(0))?)
}

/// Embeds all that the model of a plan has not seen. Whatever was embedded before an end is kept.
pub(crate) fn run(
    session: &Session<'_>,
    plan: &Plan,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<EmbeddingRun, ToolError> {
    let begun = Instant::now();
    let leave = plan.permission(folder)?;
    let engine = session.engine()?;
    let Some(turn) = engine.embedding_turn()? else {
        let who = engine.embedding_by().map_or_else(String::new, |pid| format!(" (process {pid})"));
        let message = format!("another process{who} is embedding the code of this repository");
        return Err(ToolError::new(Code::Busy, message).hint("`orient embed status` shows how far it is"));
    };
    let cancel = session.cancel().clone();
    let runtime = Arc::new(SystemRuntime::new(move || cancel.is_cancelled()));
    let provider = plan.connect(&leave, &environment, None, runtime.clone())?;
    let (name, wanted) = (provider.model().to_string(), plan.dimensions().unwrap_or(0));
    let embedding = engine.embedding(turn, &plan.source(), wanted, &name, provider.dimension())?;
    let (texts, bytes) = embedding.amount();
    let total = Amount { texts, bytes };
    progress.phase(Phase::Embedding, texts, bytes);
    let job = Job { embedder: &provider, limits: provider.limits(), total, runtime: runtime.as_ref() };
    let mut done = Amount::default();
    let keep = |sums: Vec<_>| embedding.keep(&sums);
    let outcome = embed_all(&job, embedding.texts(), keep, |standing| {
        let now = standing.done;
        progress.tick(now.texts - done.texts, now.bytes - done.bytes);
        done = now;
    });
    progress.done();
    let kept = || {
        let chunks = count(done.texts);
        format!("{chunks} chunks were embedded and are kept; `orient embed run` goes on from there")
    };
    match outcome {
        Outcome::Done => match embedding.fault() {
            Some(fault) => Err(fault.into()),
            None => Ok(EmbeddingRun { texts: done.texts, bytes: done.bytes, elapsed: begun.elapsed() }),
        },
        Outcome::Stopped => Err(ToolError::new(Code::Interrupted, format!("stopped; {}", kept()))),
        Outcome::Failed(error) => Err(ToolError::from(ProviderError::from(error)).hint(kept())),
        Outcome::StoreFailed(error) => Err(error.into()),
    }
}

/// Embeds in the background: anew with the built-in model what another version of it embedded, and then what the provider of
/// the settings has not seen, whenever there is something new. Nothing is sent without the user's leave, which is looked for
/// each time. Ends when dropped.
pub struct BackgroundEmbedding {
    cancel: Cancel,
}

impl BackgroundEmbedding {
    /// Begins; none where there can be no thread for it.
    pub fn start(host: &OpenTree) -> Option<Self> {
        let plan = Plan::from_settings(&host.loaded().settings.embed).ok().flatten();
        let (host, cancel) = (host.clone(), Cancel::default());
        let shared = cancel.clone();
        let thread = std::thread::Builder::new().name("embed".to_owned());
        let work = move || {
            upgrade_vectors(&host, &shared);
            if let Some(plan) = plan {
                embed_continuously(&host, &plan, &shared);
            }
        };
        thread.spawn(work).ok()?;
        Some(Self { cancel })
    }
}

impl Drop for BackgroundEmbedding {
    fn drop(&mut self) {
        // Not waited for: a request may be under way, and all before it is kept.
        self.cancel.cancel();
    }
}

/// Makes vectors anew where another version of the built-in model made them. Questions are answered meanwhile.
fn upgrade_vectors(host: &OpenTree, cancel: &Cancel) {
    let mut wait = POLL_INTERVAL;
    while !sleep_or_cancelled(wait, cancel) {
        match host.engine.renew_vectors(cancel, &NoProgress) {
            Ok(_) => return,
            // A first index is on its way, and has them all.
            Err(EngineError::NotIndexed) => {}
            Err(_) => wait = (wait * 2).min(MAX_BACKOFF),
        }
    }
}

fn embed_continuously(host: &OpenTree, plan: &Plan, cancel: &Cancel) {
    let (mut backoff, mut seen) = (MIN_BACKOFF, None);
    let Ok(folder) = Session::for_tree(host, &NoProgress, cancel).private_folder(false) else { return };
    // The first question has its turn first.
    let mut wait = POLL_INTERVAL;
    while !sleep_or_cancelled(wait, cancel) {
        match embed_pending(host, plan, &folder, cancel, &mut seen) {
            Ok(()) => {
                host.provider_state.set_stopped(None);
                (wait, backoff) = (POLL_INTERVAL, MIN_BACKOFF);
            }
            Err(error) => {
                host.provider_state.set_stopped(Some(error.message().to_owned()));
                (wait, backoff) = (backoff, (backoff * 2).min(MAX_BACKOFF));
            }
        }
    }
}

/// One look: what there is to embed is embedded. `seen` is the generation that was embedded whole.
fn embed_pending(
    host: &OpenTree,
    plan: &Plan,
    folder: &Path,
    cancel: &Cancel,
    seen: &mut Option<u64>,
) -> Result<(), ToolError> {
    let session = Session::for_tree(host, &NoProgress, cancel);
    if plan.permission(folder).is_err() {
        return Ok(());
    }
    let Some(snapshot) = session.snapshot_without_refresh()? else { return Ok(()) };
    let generation = snapshot.generation();
    if *seen == Some(generation) {
        return Ok(());
    }
    let coverage = coverage(&snapshot, plan)?;
    drop(snapshot);
    if coverage.model.is_none() || coverage.known < coverage.total {
        match run(&session, plan, folder, &NoProgress) {
            // Whoever it is does it for us.
            Err(error) if error.code() == Code::Busy => return Ok(()),
            ran => {
                ran?;
            }
        }
    }
    *seen = Some(generation);
    Ok(())
}

/// Sleeps; says whether to end.
fn sleep_or_cancelled(time: Duration, cancel: &Cancel) -> bool {
    let until = Instant::now() + time;
    while !cancel.is_cancelled() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        std::thread::sleep(left.min(CANCEL_POLL));
    }
    true
}
