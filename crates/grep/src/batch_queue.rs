//! A queue of batches of files between the producer and the worker threads.

use orient_walk::SearchFile;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Fewer files than this are one batch: they are searched before another thread has started.
const MIN_PARALLEL: usize = 8;
/// Maximum number of files per batch.
const MAX_BATCH: usize = 32;

/// The files of a batch.
pub type Files<'f> = Cow<'f, [SearchFile]>;

/// Splits a list of files into batches that keep all threads busy.
pub fn in_batches(files: &[SearchFile], threads: usize) -> impl Iterator<Item = Files<'_>> {
    let size = if files.len() < MIN_PARALLEL { MIN_PARALLEL } else { batch_size(files.len(), threads) };
    files.chunks(size).map(Cow::Borrowed)
}

/// The batch size for this many files and threads.
pub fn batch_size(files: usize, threads: usize) -> usize {
    (files / (threads.max(1) * 16)).clamp(1, MAX_BATCH)
}

/// A batch with its position.
pub(crate) struct Batch<'f> {
    /// The number of batches before it.
    pub(crate) number: usize,
    /// The number of files before it.
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

/// A blocking queue of batches.
#[derive(Default)]
pub(crate) struct BatchQueue<'f> {
    state: Mutex<State<'f>>,
    changed: Condvar,
}

impl<'f> BatchQueue<'f> {
    fn lock(&self) -> MutexGuard<'_, State<'f>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a batch; returns the number of batches so far.
    pub(crate) fn put(&self, files: Files<'f>) -> usize {
        let mut state = self.lock();
        let batch = Batch { number: state.batches, before: state.files, files };
        state.batches += 1;
        state.files += batch.files.len();
        state.waiting.push_back(batch);
        self.changed.notify_one();
        state.batches
    }

    /// The number of batches so far.
    pub(crate) fn batches(&self) -> usize {
        self.lock().batches
    }

    /// Ends the queue.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// The next batch; blocks until there is one. `None` at the end of the queue.
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
