//! Parts of an answer, made by many threads and handed out in order, with a bound on what waits.
//!
//! Batches are taken in order. The one whose turn it is never waits for another, so the rest may wait for it.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How many bytes may wait for their turn.
const WAITING: usize = 32 << 20;

/// What is ready of a batch.
#[derive(Default)]
struct Made {
    bytes: Vec<u8>,
    finished: bool,
}

#[derive(Default)]
struct State {
    /// The batch whose turn it is.
    turn: usize,
    /// What is ready of batches, by their number.
    made: BTreeMap<usize, Made>,
    /// How many bytes of that there are.
    waiting: usize,
    /// How many threads wait for room.
    held_up: usize,
    /// Whether somebody waits for what comes next.
    wanted: bool,
    stopped: bool,
}

/// Where threads leave what they made.
#[derive(Default)]
pub(crate) struct Ordered {
    state: Mutex<State>,
    /// There is something whose turn it is.
    ready: Condvar,
    /// There is room, or a turn has come, or nothing more is wanted.
    room: Condvar,
}

/// What comes next: a part of the batch whose turn it is, and whether that ends with it.
pub(crate) struct Next {
    pub(crate) part: Vec<u8>,
    pub(crate) ended: bool,
}

impl Ordered {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves a part of a batch once there is room for it; says whether the batch is whole with it.
    pub(crate) fn add(&self, batch: usize, mut part: Vec<u8>, finished: bool) {
        let mut state = self.lock();
        while !state.stopped
            && state.waiting > 0
            && state.waiting + part.len() > WAITING
            && (state.turn != batch || state.made.contains_key(&batch))
        {
            state.held_up += 1;
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.held_up -= 1;
        }
        state.waiting += part.len();
        let made = state.made.entry(batch).or_default();
        if made.bytes.is_empty() {
            made.bytes = part;
        } else {
            made.bytes.append(&mut part);
        }
        made.finished |= finished;
        if state.turn == batch && std::mem::take(&mut state.wanted) {
            self.ready.notify_one();
        }
    }

    /// Says that nothing more is wanted.
    pub(crate) fn stop(&self) {
        self.lock().stopped = true;
        self.room.notify_all();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// What comes next, if it is there.
    pub(crate) fn ready(&self) -> Option<Next> {
        self.step(&mut self.lock())
    }

    /// Waits for what comes next.
    pub(crate) fn next(&self) -> Next {
        let mut state = self.lock();
        loop {
            if let Some(next) = self.step(&mut state) {
                return next;
            }
            state.wanted = true;
            state = self.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn step(&self, state: &mut State) -> Option<Next> {
        let turn = state.turn;
        let Made { bytes: part, finished: ended } = state.made.remove(&turn)?;
        state.waiting -= part.len();
        state.turn += usize::from(ended);
        if state.held_up > 0 {
            self.room.notify_all();
        }
        Some(Next { part, ended })
    }
}
