//! Limits on recursion and on work, so that every file is resolved in bounded time and stack.
//!
//! Work is counted in steps, not in time: every machine gives up at the same place, and the graph is the same everywhere.

use std::cell::Cell;

/// Maximum depth of queries that wait for each other.
const MAX_QUERY_DEPTH: u32 = 24;
/// Maximum depth of nested expressions, types and scopes: bounds the stack.
const MAX_NESTING: u32 = 160;
/// Steps that one reference may take.
const STEPS_PER_REFERENCE: u64 = 20_000;
/// Once a file has taken this many steps, each reference may take [`REDUCED_STEPS`].
const STEPS_PER_FILE: u64 = 3_000_000;
const REDUCED_STEPS: u64 = 400;
/// Once a file has taken this many steps, each reference may take [`MINIMAL_STEPS`]: a file with hundreds of thousands of
/// expensive references, such as one chain of members.
const MANY_STEPS_PER_FILE: u64 = 2 * STEPS_PER_FILE;
const MINIMAL_STEPS: u64 = 10;

/// The counters of one file's resolution.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    query_depth: Cell<u32>,
    nesting: Cell<u32>,
    /// How often a limit or a cycle cut an answer short.
    cuts: Cell<u64>,
    steps: Cell<u64>,
    /// The number of steps at which the current reference is given up.
    step_limit: Cell<u64>,
}

impl Limits {
    pub(crate) fn new() -> Self {
        Self { step_limit: Cell::new(STEPS_PER_REFERENCE), ..Self::default() }
    }

    /// Begins with another reference, which gets steps of its own.
    pub(crate) fn start_reference(&self) {
        let steps = self.steps.get();
        let more = match steps {
            ..STEPS_PER_FILE => STEPS_PER_REFERENCE,
            STEPS_PER_FILE..MANY_STEPS_PER_FILE => REDUCED_STEPS,
            _ => MINIMAL_STEPS,
        };
        self.step_limit.set(steps + more);
    }

    /// Takes one step and runs `descend` one level deeper; nothing if a limit is reached.
    pub(crate) fn nested<T>(&self, descend: impl FnOnce() -> T) -> Option<T> {
        self.steps.set(self.steps.get() + 1);
        if self.nesting.get() >= MAX_NESTING || self.steps.get() > self.step_limit.get() {
            self.cut();
            return None;
        }
        self.nesting.set(self.nesting.get() + 1);
        let found = descend();
        self.nesting.set(self.nesting.get() - 1);
        Some(found)
    }

    /// Whether another query may start.
    pub(crate) fn may_query(&self) -> bool {
        self.query_depth.get() < MAX_QUERY_DEPTH
    }

    /// Runs a query one level deeper.
    pub(crate) fn query<T>(&self, compute: impl FnOnce() -> T) -> T {
        self.query_depth.set(self.query_depth.get() + 1);
        let answer = compute();
        self.query_depth.set(self.query_depth.get() - 1);
        answer
    }

    /// Whether no query is in progress: an answer found now does not depend on where resolution came from.
    pub(crate) fn is_outermost(&self) -> bool {
        self.query_depth.get() == 0
    }

    /// Notes that an answer is incomplete.
    pub(crate) fn cut(&self) {
        self.cuts.set(self.cuts.get() + 1);
    }

    /// Takes back the cuts since there were this many: what they left out was found on another way.
    pub(crate) fn restore_cuts(&self, cuts: u64) {
        self.cuts.set(cuts);
    }

    /// How often an answer was cut short so far. If the number grows while an answer is computed, the answer may be
    /// incomplete.
    pub(crate) fn cuts(&self) -> u64 {
        self.cuts.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descend(limits: &Limits, depth: u32) -> u32 {
        limits.nested(|| descend(limits, depth + 1)).unwrap_or(depth)
    }

    #[test]
    fn nesting_ends_at_the_limit_and_counts_as_a_cut() {
        let limits = Limits::new();
        assert_eq!(descend(&limits, 0), MAX_NESTING);
        assert_eq!(limits.cuts(), 1);
        assert!(limits.nested(|| ()).is_some(), "the counter goes back down");
    }

    #[test]
    fn a_reference_that_takes_too_many_steps_is_given_up_and_the_next_one_is_not() {
        let limits = Limits::new();
        for _ in 0..STEPS_PER_REFERENCE {
            assert!(limits.nested(|| ()).is_some());
        }
        assert!(limits.nested(|| ()).is_none());
        limits.start_reference();
        assert!(limits.nested(|| ()).is_some());
    }
}
