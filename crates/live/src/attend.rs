//! What is done in the background, so that questions find the work done.

use crate::dirty::Dirty;
use crate::keeper::{Seen, Shared};
use crate::limits::Unwatchable;
use crate::state::State;
use orient_engine::{EngineError, RefreshDepth, RefreshOptions, RefreshReport};
use orient_model::RepoPath;
use std::time::{Duration, Instant};

/// How long to wait after a failure, so that one that lasts costs little.
const AFTER_FAILURE: Duration = Duration::from_secs(5);
/// A look at all files is taken so seldom that it takes one part in so many of the time.
const SELDOM: u32 = 20;

/// What to do next.
enum Next {
    /// Watch every folder and compare all files.
    Settle,
    /// Catch up with what changed.
    Catch,
    /// Compare all files.
    Look,
    /// Read what other branches hold.
    Ahead,
    /// Wait.
    Wait(Option<Duration>),
}

impl Shared {
    /// Works until told to stop.
    pub(crate) fn attend(&self) {
        if self.engine.generation().is_some() {
            self.bell.wait(Some(self.options.start));
        }
        while !self.stop.is_cancelled() {
            let done = match self.next() {
                Next::Settle => self.settle(),
                Next::Catch => self.catch(),
                Next::Look => self.look(),
                Next::Ahead => self.ahead(),
                Next::Wait(most) => {
                    self.bell.wait(most);
                    continue;
                }
            };
            if !done && !self.stop.is_cancelled() {
                self.bell.wait(Some(AFTER_FAILURE));
            }
        }
    }

    fn next(&self) -> Next {
        let mut state = self.state();
        state.drain();
        if state.watch.is_none() {
            return if state.looked.is_none() { Next::Look } else { ahead(&state) };
        }
        let unquiet = self.unquiet(&state);
        if !unquiet.is_zero() {
            return Next::Wait(Some(unquiet));
        }
        if !state.settled || state.dirty.is_all() {
            return Next::Settle;
        }
        if !state.dirty.is_empty() || state.right == RefreshDepth::Facts {
            return Next::Catch;
        }
        if state.asked {
            return Next::Look;
        }
        match (state.changed, state.looked) {
            (Some(changed), Some((at, took))) => {
                let due = (changed + self.options.look_again).max(at + took * SELDOM);
                match due.checked_duration_since(Instant::now()) {
                    None => Next::Look,
                    left => Next::Wait(left),
                }
            }
            _ => ahead(&state),
        }
    }

    /// For how long more may come that is better done with what is there.
    fn unquiet(&self, state: &State) -> Duration {
        let (Some(last), Some(first)) = (state.changed, state.since) else { return Duration::ZERO };
        let quiet = self.options.quiet.saturating_sub(last.elapsed());
        quiet.min(self.options.longest.saturating_sub(first.elapsed()))
    }

    /// Watches every folder, then compares all files: from then on notices tell all.
    fn settle(&self) -> bool {
        let begun = Instant::now();
        let (paths, since) = {
            let mut state = self.state();
            state.settled = false;
            let paths = state.dirty.paths();
            state.dirty = Dirty::default();
            state.changed = None;
            (paths, state.since.take())
        };
        if !self.watch_all(None) {
            // Where the tree can no longer be watched, that is what remains to be done.
            return self.state().watch.is_none();
        }
        let Some(_turn) = self.turn_in_background() else { return false };
        let done = self.whole(&self.background(), &self.activity, &Dirty::default());
        let mut state = self.state();
        if done.as_ref().is_ok_and(|refresh| refresh.in_memory) {
            // An index in memory is compared as a whole each time; the answers say so by themselves.
            state.give_up(Unwatchable::Refused("the store cannot be written".to_owned()));
            state.note = None;
        }
        state.settled = done.is_ok() && state.watch.is_some() && !state.dirty.is_all();
        drop(state);
        self.look_ahead_soon();
        self.tell(paths, since.or(Some(begun)), done)
    }

    /// Catches up with what changed.
    fn catch(&self) -> bool {
        let Some(_turn) = self.turn_in_background() else { return false };
        let (paths, since) = {
            let state = self.state();
            (state.dirty.paths(), state.since)
        };
        let done = self.bring(&self.background(), &self.activity);
        self.tell(paths, since, done)
    }

    /// Compares all files, which notes the tree as a whole and finds what no notice told of; and tidies up.
    fn look(&self) -> bool {
        let Some(turn) = self.turn_in_background() else { return false };
        self.state().changed = None;
        let done = self.whole(&self.background(), &self.activity, &Dirty::default());
        drop(turn);
        self.engine.checkpoint();
        self.look_ahead_soon();
        self.tell(Vec::new(), None, done)
    }

    /// Has other branches looked at once nothing has happened for a while.
    fn look_ahead_soon(&self) {
        let due = (self.options.branches > 0).then(|| Instant::now() + self.options.look_again);
        self.state().ahead = due;
    }

    /// Looks at other branches. Where something came between, goes on a while after that.
    fn ahead(&self) -> bool {
        if self.read_ahead() {
            self.state().ahead = None;
            self.engine.checkpoint();
        } else {
            self.look_ahead_soon();
        }
        true
    }

    fn tell(
        &self,
        paths: Vec<RepoPath>,
        since: Option<Instant>,
        refresh: Result<RefreshReport, EngineError>,
    ) -> bool {
        let well = refresh.is_ok();
        if let Some(seen) = &self.options.seen {
            let behind = since.map(|since| since.elapsed());
            let unwatched = self.state().unwatched.clone();
            seen(&Seen { paths, behind, refresh, unwatched });
        }
        well
    }

    fn background(&self) -> RefreshOptions {
        let (limit, cancel) = (self.options.at_once, self.stop.clone());
        RefreshOptions { max_resolved_with_change: limit, cancel, ..RefreshOptions::default() }
    }
}

/// What to do where the index is right.
fn ahead(state: &State) -> Next {
    match state.ahead.map(|due| due.checked_duration_since(Instant::now())) {
        Some(None) => Next::Ahead,
        Some(left) => Next::Wait(left),
        None => Next::Wait(None),
    }
}
