//! Embeds many texts with concurrent requests and passes finished embeddings to a callback.
//!
//! A run that is cancelled or fails loses at most the requests in flight; a caller that skips what it has stored resumes
//! where the run stopped.

use crate::Runtime;
use crate::batches::batches;
use crate::provider_table::Limits;
use orient_embed::{EmbedError, Embedder, Role, TextEmbedding};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// An amount of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Number of texts.
    pub texts: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What was embedded.
    pub done: Amount,
    /// The total that the caller gave.
    pub total: Amount,
    /// Time since the start.
    pub elapsed: Duration,
    /// Estimated remaining time; `None` until something is done.
    pub remaining: Option<Duration>,
}

/// The parameters of a run.
pub struct Job<'j> {
    /// The embedding model.
    pub embedder: &'j dyn Embedder,
    /// Limits on the size and number of requests.
    pub limits: Limits,
    /// The total amount, for the estimate of the remaining time.
    pub total: Amount,
    /// Clock and cancellation.
    pub runtime: &'j dyn Runtime,
}

/// How a run ended. Embeddings passed to the callback before remain valid.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome<E> {
    /// All texts were embedded.
    Done,
    /// The caller cancelled.
    Stopped,
    /// The embedder failed.
    Failed(EmbedError),
    /// The callback failed.
    StoreFailed(E),
}

/// The texts of one request, or their embeddings, with their keys.
type Batch<K, T> = Vec<(K, T)>;

/// The result of a request: its size in bytes and its embeddings.
struct Response<K> {
    bytes: u64,
    sums: Result<Batch<K, TextEmbedding>, EmbedError>,
}

/// Embeds all texts. `keep` receives the embeddings of each request as soon as they arrive, on this thread and in no
/// particular order; `watch` receives the progress after each. Before it returns for any reason, it waits for the requests
/// in flight and passes on their embeddings too.
pub fn embed_all<K: Send, E>(
    job: &Job<'_>,
    texts: impl IntoIterator<Item = (K, String)>,
    keep: impl FnMut(Vec<(K, TextEmbedding)>) -> Result<(), E>,
    watch: impl FnMut(&Progress),
) -> Outcome<E> {
    let Limits { texts: max_texts, bytes, requests, .. } = job.limits;
    let requests = requests.max(1);
    let (send_work, work) = mpsc::channel();
    let (send_back, back) = mpsc::channel();
    let work = Mutex::new(work);
    std::thread::scope(|scope| {
        // Moved into this block: dropping it ends the threads.
        let send_work = send_work;
        for _ in 0..requests {
            let (work, send_back) = (&work, send_back.clone());
            scope.spawn(move || work_loop(job.embedder, work, &send_back));
        }
        drop(send_back);
        let mut requests_left = batches(texts, max_texts, bytes, |(_, text): &(K, String)| text.len());
        let mut collector = Collector {
            job,
            keep,
            watch,
            started: job.runtime.now(),
            done: Amount::default(),
            outcome: None,
        };
        let mut in_flight = 0;
        loop {
            while collector.is_running() && in_flight < requests {
                let Some(batch) = requests_left.next() else { break };
                in_flight += usize::from(send_work.send(batch).is_ok());
            }
            if in_flight == 0 {
                return collector.outcome.unwrap_or(Outcome::Done);
            }
            // The channel is closed only if all threads panicked, and then the scope panics too.
            let Ok(response) = back.recv() else { return Outcome::Stopped };
            in_flight -= 1;
            collector.take(response);
        }
    })
}

/// The loop of one thread: sends requests until the channel is closed.
fn work_loop<K>(
    embedder: &dyn Embedder,
    work: &Mutex<Receiver<Batch<K, String>>>,
    back: &Sender<Response<K>>,
) {
    loop {
        let batch = work.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(batch) = batch else { return };
        let texts: Vec<&str> = batch.iter().map(|(_, text)| text.as_str()).collect();
        let bytes = texts.iter().map(|text| text.len() as u64).sum();
        let sums = embedder.embed(&texts, Role::Passage);
        let sums = sums.map(|sums| batch.into_iter().map(|(key, _)| key).zip(sums).collect());
        if back.send(Response { bytes, sums }).is_err() {
            return;
        }
    }
}

/// Passes responses to the callbacks and tracks progress.
struct Collector<'j, F, W, E> {
    job: &'j Job<'j>,
    keep: F,
    watch: W,
    started: Duration,
    done: Amount,
    outcome: Option<Outcome<E>>,
}

impl<F, W, E> Collector<'_, F, W, E> {
    /// Whether to start another request.
    fn is_running(&mut self) -> bool {
        if self.job.runtime.is_stopped() {
            self.stop(Outcome::Stopped);
        }
        self.outcome.is_none()
    }

    /// Records the outcome; the first one wins.
    fn stop(&mut self, outcome: Outcome<E>) {
        self.outcome.get_or_insert(outcome);
    }

    fn take<K>(&mut self, response: Response<K>)
    where
        F: FnMut(Vec<(K, TextEmbedding)>) -> Result<(), E>,
        W: FnMut(&Progress),
    {
        let sums = match response.sums {
            Ok(sums) => sums,
            // A request interrupted by cancellation has not failed.
            Err(_) if self.job.runtime.is_stopped() => return self.stop(Outcome::Stopped),
            Err(error) => return self.stop(Outcome::Failed(error)),
        };
        if matches!(self.outcome, Some(Outcome::StoreFailed(_))) {
            return;
        }
        let texts = sums.len() as u64;
        if let Err(error) = (self.keep)(sums) {
            self.outcome = Some(Outcome::StoreFailed(error));
            return;
        }
        self.done.texts += texts;
        self.done.bytes += response.bytes;
        let elapsed = self.job.runtime.now().saturating_sub(self.started);
        let (done, total) = (self.done, self.job.total);
        (self.watch)(&Progress { done, total, elapsed, remaining: remaining(done, total, elapsed) });
    }
}

/// Extrapolates by bytes, since the sizes of texts vary widely.
fn remaining(done: Amount, total: Amount, elapsed: Duration) -> Option<Duration> {
    if done.bytes == 0 || total.bytes < done.bytes {
        return None;
    }
    let left = elapsed.as_millis() * u128::from(total.bytes - done.bytes) / u128::from(done.bytes);
    u64::try_from(left).ok().map(Duration::from_millis)
}
