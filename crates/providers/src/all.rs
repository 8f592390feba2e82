//! Embedding many texts: several requests at once, finished vectors handed over as they come.
//!
//! What was handed over is the caller's, so an end at any moment loses no more than the requests under way; who leaves
//! out what is kept already goes on where it ended.

use crate::World;
use crate::batch::batches;
use crate::table::Limits;
use orient_embed::{EmbedError, Embedder, Role, TextEmbedding};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How much there is to embed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Texts.
    pub texts: u64,
    /// Bytes of them.
    pub bytes: u64,
}

/// How far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What was handed over.
    pub done: Amount,
    /// What there is in all, as the caller said.
    pub total: Amount,
    /// Since the beginning.
    pub elapsed: Duration,
    /// How long it will still take at this rate; none before there is a rate.
    pub remaining: Option<Duration>,
}

/// Who embeds, how much at a time, and how much in all.
pub struct Job<'j> {
    /// Makes the vectors.
    pub embedder: &'j dyn Embedder,
    /// What one request may hold, and how many may be under way.
    pub limits: Limits,
    /// What there is in all; for the remaining time alone.
    pub total: Amount,
    /// The time, and whether to end.
    pub world: &'j dyn World,
}

/// How it ended. Whatever was handed over before stays so.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome<E> {
    /// All texts have their vectors.
    Done,
    /// The caller wanted to end.
    Stopped,
    /// The embedder failed.
    Failed(EmbedError),
    /// Whoever keeps the vectors could not.
    Unkept(E),
}

/// Texts with the keys they are known by, and then sums in their place.
type Lot<K, T> = Vec<(K, T)>;

/// A request on its way back: its bytes of text, and what came of it.
struct Returned<K> {
    bytes: u64,
    sums: Result<Lot<K, TextEmbedding>, EmbedError>,
}

/// Embeds all texts. `keep` gets each request's vectors as soon as they are there, on this thread and in no particular
/// order; `watch` is told after each. An end, for whatever reason, waits for the requests under way and keeps those too.
pub fn embed_all<K: Send, E>(
    job: &Job<'_>,
    texts: impl IntoIterator<Item = (K, String)>,
    keep: impl FnMut(Vec<(K, TextEmbedding)>) -> Result<(), E>,
    watch: impl FnMut(&Standing),
) -> Outcome<E> {
    let Limits { texts: most, bytes, requests, .. } = job.limits;
    let requests = requests.max(1);
    let (send_work, work) = mpsc::channel();
    let (send_back, back) = mpsc::channel();
    let work = Mutex::new(work);
    std::thread::scope(|scope| {
        // Owned by this block: at its end the threads see that there is no more to do.
        let send_work = send_work;
        for _ in 0..requests {
            let (work, send_back) = (&work, send_back.clone());
            scope.spawn(move || labour(job.embedder, work, &send_back));
        }
        drop(send_back);
        let mut lots = batches(texts, most, bytes, |(_, text): &(K, String)| text.len());
        let mut keeping =
            Keeping { job, keep, watch, begun: job.world.now(), done: Amount::default(), end: None };
        let mut under_way = 0;
        loop {
            while keeping.goes_on() && under_way < requests {
                let Some(lot) = lots.next() else { break };
                under_way += usize::from(send_work.send(lot).is_ok());
            }
            if under_way == 0 {
                return keeping.end.unwrap_or(Outcome::Done);
            }
            // None are left only if all have panicked, and then the scope does too.
            let Ok(returned) = back.recv() else { return Outcome::Stopped };
            under_way -= 1;
            keeping.take(returned);
        }
    })
}

/// What one thread does: a request, and the next, until there are none.
fn labour<K>(embedder: &dyn Embedder, work: &Mutex<Receiver<Lot<K, String>>>, back: &Sender<Returned<K>>) {
    loop {
        let lot = work.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(lot) = lot else { return };
        let texts: Vec<&str> = lot.iter().map(|(_, text)| text.as_str()).collect();
        let bytes = texts.iter().map(|text| text.len() as u64).sum();
        let sums = embedder.embed(&texts, Role::Passage);
        let sums = sums.map(|sums| lot.into_iter().map(|(key, _)| key).zip(sums).collect());
        if back.send(Returned { bytes, sums }).is_err() {
            return;
        }
    }
}

/// What is done with what comes back.
struct Keeping<'j, F, W, E> {
    job: &'j Job<'j>,
    keep: F,
    watch: W,
    begun: Duration,
    done: Amount,
    end: Option<Outcome<E>>,
}

impl<F, W, E> Keeping<'_, F, W, E> {
    /// Whether to begin another request.
    fn goes_on(&mut self) -> bool {
        if self.job.world.is_stopped() {
            self.ends(Outcome::Stopped);
        }
        self.end.is_none()
    }

    /// The first reason to end is the one that counts.
    fn ends(&mut self, outcome: Outcome<E>) {
        self.end.get_or_insert(outcome);
    }

    fn take<K>(&mut self, returned: Returned<K>)
    where
        F: FnMut(Vec<(K, TextEmbedding)>) -> Result<(), E>,
        W: FnMut(&Standing),
    {
        let sums = match returned.sums {
            Ok(sums) => sums,
            // Who was woken in the midst of waiting has not failed.
            Err(_) if self.job.world.is_stopped() => return self.ends(Outcome::Stopped),
            Err(error) => return self.ends(Outcome::Failed(error)),
        };
        if matches!(self.end, Some(Outcome::Unkept(_))) {
            return;
        }
        let texts = sums.len() as u64;
        if let Err(error) = (self.keep)(sums) {
            self.end = Some(Outcome::Unkept(error));
            return;
        }
        self.done.texts += texts;
        self.done.bytes += returned.bytes;
        let elapsed = self.job.world.now().saturating_sub(self.begun);
        let (done, total) = (self.done, self.job.total);
        (self.watch)(&Standing { done, total, elapsed, remaining: remaining(done, total, elapsed) });
    }
}

/// By bytes, since texts differ so much in size.
fn remaining(done: Amount, total: Amount, elapsed: Duration) -> Option<Duration> {
    if done.bytes == 0 || total.bytes < done.bytes {
        return None;
    }
    let left = elapsed.as_millis() * u128::from(total.bytes - done.bytes) / u128::from(done.bytes);
    u64::try_from(left).ok().map(Duration::from_millis)
}
