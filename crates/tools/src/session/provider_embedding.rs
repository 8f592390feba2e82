//! Embedding of a tree's chunks by a provider, as a command or in the background of a server.

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

/// How often the background thread checks for new chunks.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Pause after a failure of the provider; each further failure doubles it.
const MIN_BACKOFF: Duration = Duration::from_secs(30);
const MAX_BACKOFF: Duration = Duration::from_mins(30);
/// How often a sleeping thread checks for cancellation.
const CANCEL_POLL: Duration = Duration::from_millis(100);

/// The result of a run.
pub(crate) struct EmbeddingRun {
    /// Number of embedded texts.
    pub(crate) texts: u64,
    /// Their size in bytes.
    pub(crate) bytes: u64,
    pub(crate) elapsed: Duration,
}

/// How many chunks the model of a plan has embedded.
pub(crate) fn coverage(snapshot: &Snapshot, plan: &Plan) -> Result<EmbeddingCoverage, ToolError> {
    Ok(snapshot.coverage(&plan.source(), plan.dimensions().unwrap_or(0))?)
}

/// Embeds all chunks that the model of a plan has not embedded yet. An interrupted run keeps its vectors.
pub(crate) fn run(
    session: &Session<'_>,
    plan: &Plan,
    directory: &Path,
    progress: &dyn Progress,
) -> Result<EmbeddingRun, ToolError> {
    let begun = Instant::now();
    let permission = plan.permission(directory)?;
    let engine = session.engine()?;
    let Some(turn) = engine.embedding_turn()? else {
        let process = engine.embedding_by().map_or_else(String::new, |pid| format!(" (process {pid})"));
        let message = format!("another process{process} is embedding the code of this repository");
        return Err(ToolError::new(Code::Busy, message).hint("`orient embed status` shows its progress"));
    };
    let cancel = session.cancel().clone();
    let runtime = Arc::new(SystemRuntime::new(move || cancel.is_cancelled()));
    let provider = plan.connect(&permission, &environment, None, runtime.clone())?;
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
        format!("{chunks} chunks were embedded and are kept; `orient embed run` continues")
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

/// Background embedding: first replaces vectors of another version of the built-in model, then keeps embedding new chunks
/// with the configured provider. It checks the user's consent before every run, and ends when dropped.
pub struct BackgroundEmbedding {
    cancel: Cancel,
}

impl BackgroundEmbedding {
    /// Starts the thread; `None` if no thread can be started.
    pub fn start(tree: &OpenTree) -> Option<Self> {
        let plan = Plan::from_settings(&tree.loaded().settings.embed).ok().flatten();
        let (tree, cancel) = (tree.clone(), Cancel::default());
        let shared = cancel.clone();
        let thread = std::thread::Builder::new().name("embed".to_owned());
        let work = move || {
            upgrade_vectors(&tree, &shared);
            if let Some(plan) = plan {
                embed_continuously(&tree, &plan, &shared);
            }
        };
        thread.spawn(work).ok()?;
        Some(Self { cancel })
    }
}

impl Drop for BackgroundEmbedding {
    fn drop(&mut self) {
        // Do not join: a request may be in flight, and all earlier results are kept.
        self.cancel.cancel();
    }
}

/// Recomputes vectors of another version of the built-in model, while calls are answered.
fn upgrade_vectors(tree: &OpenTree, cancel: &Cancel) {
    let mut wait = POLL_INTERVAL;
    while !sleep_or_cancelled(wait, cancel) {
        match tree.engine.renew_vectors(cancel, &NoProgress) {
            Ok(_) => return,
            // The first index is being built, with current vectors.
            Err(EngineError::NotIndexed) => {}
            Err(_) => wait = (wait * 2).min(MAX_BACKOFF),
        }
    }
}

/// Embeds new chunks until cancelled, with exponential backoff after failures.
fn embed_continuously(tree: &OpenTree, plan: &Plan, cancel: &Cancel) {
    let (mut backoff, mut seen) = (MIN_BACKOFF, None);
    let Ok(directory) = Session::for_tree(tree, &NoProgress, cancel).private_directory(false) else { return };
    // Let the first call go first.
    let mut wait = POLL_INTERVAL;
    while !sleep_or_cancelled(wait, cancel) {
        match embed_pending(tree, plan, &directory, cancel, &mut seen) {
            Ok(()) => {
                tree.provider_state.set_stopped(None);
                (wait, backoff) = (POLL_INTERVAL, MIN_BACKOFF);
            }
            Err(error) => {
                tree.provider_state.set_stopped(Some(error.message().to_owned()));
                (wait, backoff) = (backoff, (backoff * 2).min(MAX_BACKOFF));
            }
        }
    }
}

/// Embeds all pending chunks. `seen` is the last generation that was embedded completely.
fn embed_pending(
    tree: &OpenTree,
    plan: &Plan,
    directory: &Path,
    cancel: &Cancel,
    seen: &mut Option<u64>,
) -> Result<(), ToolError> {
    let session = Session::for_tree(tree, &NoProgress, cancel);
    if plan.permission(directory).is_err() {
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
        match run(&session, plan, directory, &NoProgress) {
            // The other process embeds the same chunks.
            Err(error) if error.code() == Code::Busy => return Ok(()),
            ran => {
                ran?;
            }
        }
    }
    *seen = Some(generation);
    Ok(())
}

/// Sleeps; returns whether the thread must end.
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
