//! Reorders the output of parallel workers: buffers parts of batches and emits them in batch order, with a memory limit.
//!
//! Workers take batches in order. The worker of the current batch never blocks, so the others may block until it is done.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Maximum number of buffered bytes.
const MAX_BUFFERED: usize = 32 << 20;

/// The buffered output of a batch.
#[derive(Default)]
struct BatchOutput {
    bytes: Vec<u8>,
    finished: bool,
}

#[derive(Default)]
struct State {
    /// The current batch.
    current: usize,
    /// Buffered output by batch number.
    outputs: BTreeMap<usize, BatchOutput>,
    /// Total size of the buffered output.
    buffered: usize,
    /// Number of workers blocked by the limit.
    blocked: usize,
    /// Whether the consumer waits.
    consumer_waits: bool,
    stopped: bool,
}

/// The reorder buffer between workers and the consumer.
#[derive(Default)]
pub(crate) struct OrderedOutput {
    state: Mutex<State>,
    /// Output of the current batch is available.
    ready: Condvar,
    /// There is room, the current batch has changed, or the search was stopped.
    room: Condvar,
}

/// Output of the current batch, and whether it is complete.
pub(crate) struct OutputPart {
    pub(crate) part: Vec<u8>,
    pub(crate) ended: bool,
}

impl OrderedOutput {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds output of a batch; blocks until there is room. `finished` marks its last part.
    pub(crate) fn add(&self, batch: usize, mut part: Vec<u8>, finished: bool) {
        let mut state = self.lock();
        while !state.stopped
            && state.buffered > 0
            && state.buffered + part.len() > MAX_BUFFERED
            && (state.current != batch || state.outputs.contains_key(&batch))
        {
            state.blocked += 1;
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.blocked -= 1;
        }
        state.buffered += part.len();
        let output = state.outputs.entry(batch).or_default();
        if output.bytes.is_empty() {
            output.bytes = part;
        } else {
            output.bytes.append(&mut part);
        }
        output.finished |= finished;
        if state.current == batch && std::mem::take(&mut state.consumer_waits) {
            self.ready.notify_one();
        }
    }

    /// Stops the search and unblocks all workers.
    pub(crate) fn stop(&self) {
        self.lock().stopped = true;
        self.room.notify_all();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// The next output, if it is available.
    pub(crate) fn ready(&self) -> Option<OutputPart> {
        self.step(&mut self.lock())
    }

    /// The next output; blocks until it is available.
    pub(crate) fn next(&self) -> OutputPart {
        let mut state = self.lock();
        loop {
            if let Some(next) = self.step(&mut state) {
                return next;
            }
            state.consumer_waits = true;
            state = self.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn step(&self, state: &mut State) -> Option<OutputPart> {
        let current = state.current;
        let BatchOutput { bytes: part, finished: ended } = state.outputs.remove(&current)?;
        state.buffered -= part.len();
        state.current += usize::from(ended);
        if state.blocked > 0 {
            self.room.notify_all();
        }
        Some(OutputPart { part, ended })
    }
}
