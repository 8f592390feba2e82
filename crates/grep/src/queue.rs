//! Files on their way from whoever finds them to the threads that search them, in batches.

use orient_walk::Haystack;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Fewer files than this are searched before another thread would have started.
const FEW: usize = 8;
/// Taking a batch has its price, and so has waiting for a large one.
const LARGEST: usize = 32;

/// Some files that are searched one after another.
pub type Files<'f> = Cow<'f, [Haystack]>;

/// Files that are all known, in batches of a size that keeps so many threads busy.
pub fn in_batches(files: &[Haystack], threads: usize) -> impl Iterator<Item = Files<'_>> {
    let size = if files.len() < FEW { FEW } else { batch_size(files.len(), threads) };
    files.chunks(size).map(Cow::Borrowed)
}

/// How large batches of so many files are.
pub fn batch_size(files: usize, threads: usize) -> usize {
    (files / (threads.max(1) * 16)).clamp(1, LARGEST)
}

/// A batch, and where it stands.
pub(crate) struct Batch<'f> {
    /// How many batches come before it.
    pub(crate) number: usize,
    /// How many files come before it.
    pub(crate) before: usize,
    pub(crate) files: Files<'f>,
}

#[derive(Default)]
struct State<'f> {
    waiting: VecDeque<Batch<'f>>,
    batches: usize,
    files: usize,
    closed: bool,
}

/// Batches that wait for a thread.
#[derive(Default)]
pub(crate) struct Queue<'f> {
    state: Mutex<State<'f>>,
    changed: Condvar,
}

impl<'f> Queue<'f> {
    fn lock(&self) -> MutexGuard<'_, State<'f>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a batch behind all others; says how many there were so far.
    pub(crate) fn put(&self, files: Files<'f>) -> usize {
        let mut state = self.lock();
        let batch = Batch { number: state.batches, before: state.files, files };
        state.batches += 1;
        state.files += batch.files.len();
        state.waiting.push_back(batch);
        self.changed.notify_one();
        state.batches
    }

    /// How many batches there were.
    pub(crate) fn batches(&self) -> usize {
        self.lock().batches
    }

    /// Says that no more will come.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// The next batch, once there is one; none when all were taken.
    pub(crate) fn take(&self) -> Option<Batch<'f>> {
        let mut state = self.lock();
        loop {
            if let Some(batch) = state.waiting.pop_front() {
                return Some(batch);
            }
            if state.closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
