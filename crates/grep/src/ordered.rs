//! Parts of an answer, made by many threads and handed out in order, with a bound on what waits.
//!
//! Batches are taken in order. The one whose turn it is never waits for another, so the rest may wait for it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How many bytes may wait for their turn.
const WAITING: usize = 32 << 20;

#[derive(Default)]
struct State {
    /// The batch whose turn it is.
    turn: usize,
    /// What is ready of batches, by their number.
    parts: BTreeMap<usize, Vec<Vec<u8>>>,
    finished: BTreeSet<usize>,
    waiting: usize,
    stopped: bool,
}

/// Where threads leave what they made.
#[derive(Default)]
pub(crate) struct Ordered {
    state: Mutex<State>,
    changed: Condvar,
}

/// What comes next.
pub(crate) enum Next {
    /// A part of the batch whose turn it is.
    Part(Vec<u8>),
    /// That batch has ended.
    End,
}

impl Ordered {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves a part of a batch, once there is room for it.
    pub(crate) fn add(&self, batch: usize, part: Vec<u8>) {
        let mut state = self.lock();
        while !state.stopped
            && state.waiting > 0
            && state.waiting + part.len() > WAITING
            && (state.turn != batch || state.parts.contains_key(&batch))
        {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting += part.len();
        state.parts.entry(batch).or_default().push(part);
        if state.turn == batch {
            self.changed.notify_all();
        }
    }

    /// Says that a batch is whole.
    pub(crate) fn finish(&self, batch: usize) {
        let mut state = self.lock();
        state.finished.insert(batch);
        if state.turn == batch {
            self.changed.notify_all();
        }
    }

    /// Says that nothing more is wanted.
    pub(crate) fn stop(&self) {
        self.lock().stopped = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// Waits for what comes next.
    pub(crate) fn next(&self) -> Next {
        let mut state = self.lock();
        loop {
            let turn = state.turn;
            if let Some(parts) = state.parts.remove(&turn) {
                let part = parts.concat();
                state.waiting -= part.len();
                self.changed.notify_all();
                return Next::Part(part);
            }
            if state.finished.remove(&turn) {
                state.turn += 1;
                self.changed.notify_all();
                return Next::End;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
