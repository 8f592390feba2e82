//! What the keeper of an index knows of it and of its tree.

use crate::dirty::Dirty;
use crate::limits::Unwatchable;
use crate::watch::{Notice, Watch};
use orient_engine::{Cancel, ExternalIgnoreFiles, OpenDatabases, RefreshDepth};
use std::time::{Duration, Instant};

/// What is known of the tree and its index.
pub(crate) struct State {
    /// Nothing where the tree cannot be watched.
    pub(crate) watch: Option<Watch>,
    pub(crate) unwatched: Option<Unwatchable>,
    /// What changed since the index was right.
    pub(crate) dirty: Dirty,
    /// When the first of that was noticed.
    pub(crate) since: Option<Instant>,
    /// Whether the index is right about all else, and every folder is watched.
    pub(crate) settled: bool,
    pub(crate) rules: ExternalIgnoreFiles,
    /// The index as it was left: another one was written by somebody else.
    pub(crate) left: Option<Left>,
    /// The databases, kept open, with the file the index was in.
    pub(crate) held: Option<(u64, OpenDatabases)>,
    /// The last time it was caught up with everything.
    pub(crate) caught: Option<Caught>,
    /// The last time it was caught up with what is in the files.
    pub(crate) known: Option<Caught>,
    /// How much of the index is right about what was caught up with: facts alone while files have yet to be resolved.
    pub(crate) right: RefreshDepth,
    /// Since when somebody waits to know what uses mean.
    pub(crate) deep: Option<Instant>,
    /// Asks for a pause in the work that is going on.
    pub(crate) pause: Cancel,
    pub(crate) remembered: bool,
    /// What is being caught up with.
    pub(crate) working: Dirty,
    /// What is yet to be said.
    pub(crate) note: Option<String>,
    /// How long the last look at all files took, and when it was.
    pub(crate) looked: Option<(Instant, Duration)>,
    /// When something was noticed since.
    pub(crate) changed: Option<Instant>,
    /// From when on other branches may be looked at, where that is due.
    pub(crate) ahead: Option<Instant>,
    /// Whether a question was answered by notices alone for long enough.
    pub(crate) asked: bool,
}

/// That the index was right about everything at a moment.
#[derive(Clone, Copy)]
pub(crate) struct Caught {
    pub(crate) begun: Instant,
    pub(crate) generation: u64,
}

/// Tells an index from another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) generation: u64,
    pub(crate) file: u64,
}

impl State {
    /// What is known before anything was looked at.
    pub(crate) fn new(watch: Option<Watch>, unwatched: Option<Unwatchable>) -> Self {
        Self {
            note: unwatched.as_ref().and_then(note),
            watch,
            unwatched,
            dirty: Dirty::default(),
            since: None,
            settled: false,
            rules: ExternalIgnoreFiles::default(),
            left: None,
            held: None,
            caught: None,
            known: None,
            right: RefreshDepth::Graph,
            deep: None,
            pause: Cancel::default(),
            remembered: false,
            working: Dirty::default(),
            looked: None,
            changed: None,
            ahead: None,
            asked: false,
        }
    }

    /// Whether notices do not tell all.
    #[cfg(target_os = "linux")]
    pub(crate) fn is_blind(&self) -> bool {
        self.watch.is_none() || !self.settled
    }

    /// Takes in every notice there is.
    pub(crate) fn drain(&mut self) {
        let Self { watch: Some(watch), dirty, .. } = self else { return };
        let mut noticed = false;
        let drained = watch.drain(|notice| {
            noticed = true;
            match notice {
                Notice::Change(path, change) => dirty.note(path, change),
                Notice::Lost => dirty.all(),
            }
        });
        if noticed {
            self.remembered = false;
            self.changed = Some(Instant::now());
            self.since.get_or_insert_with(Instant::now);
        }
        if let Err(why) = drained {
            self.give_up(why);
        }
    }

    /// Notes that the index is right, after work that began at a moment. Where nothing was noticed since, what it found
    /// then is how things are now: it serves those as well who asked meanwhile.
    pub(crate) fn catches_since(&mut self, begun: Instant, generation: u64) {
        let now = Instant::now();
        let begun = if self.is_still() { now } else { begun };
        self.catches(Caught { begun, generation });
    }

    /// Whether notices tell all, and there is none that is not being caught up with.
    pub(crate) fn is_still(&mut self) -> bool {
        self.drain();
        self.settled && self.watch.is_some() && self.dirty.is_empty() && self.rules.are_unchanged()
    }

    /// Notes that the index was right: about everything, or about what is in the files.
    pub(crate) fn catches(&mut self, caught: Caught) {
        let earlier = |before: &Option<Caught>| before.is_none_or(|before| before.begun < caught.begun);
        if earlier(&self.known) {
            self.known = Some(caught);
        }
        if self.right == RefreshDepth::Graph && earlier(&self.caught) {
            self.caught = Some(caught);
            self.deep = None;
        }
    }

    /// What changed, which is being caught up with from now on.
    pub(crate) fn take(&mut self) -> Dirty {
        self.since = None;
        self.working = std::mem::take(&mut self.dirty);
        self.working.clone()
    }

    /// Ends watching for good.
    pub(crate) fn give_up(&mut self, why: Unwatchable) {
        self.watch = None;
        self.settled = false;
        self.note = note(&why);
        self.unwatched = Some(why);
    }
}

/// What to say of a tree that is not watched; nothing where nobody could do anything about it.
fn note(why: &Unwatchable) -> Option<String> {
    (*why != Unwatchable::System).then(|| {
        tracing::warn!(reason = why.word(), "the tree cannot be watched");
        format!("{why}; all files are compared for each question instead, which is slower but as right")
    })
}
