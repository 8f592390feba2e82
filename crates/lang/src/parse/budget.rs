//! The budget of extracting one file: limits on work and memory. They grow with the file, so that the sizes of many files
//! bound what they take together, and they are the same on every machine, because facts depend on them.

use orient_grammars::Meter;
use orient_model::IssueKind;
use std::sync::{Condvar, Mutex, PoisonError};

/// Units of work for one error recovery, in which the parser tries all tokens of the grammar in all its states. A step of
/// the parser is one unit, and so is an allocation; together they take about a quarter of a microsecond. Of 8,200 files
/// of real repositories, half need less than one unit for each byte, and the densest tables four.
const WORK_PER_RECOVERY: u64 = 200;
/// Number of parts skipped by earlier recoveries that a recovery walks over in the time of a step.
const SKIPPED: u64 = 2;
/// Number of bytes of large blocks that are copied, and read back for later tokens, in the time of a step.
const COPIED: u64 = 8;
/// Work of a query, in its own units, in the time of a step.
const QUERY_WORK: u64 = 8;
/// A query compares each node with all its open matches, whose number shows in the memory they hold. Up to the first number
/// of bytes that is usual; beyond it, visiting the nodes between two progress callbacks takes a step for each
/// [`OPEN_MATCHES`] bytes.
const USUAL_OPEN_MATCHES: u64 = 256 << 10;
const OPEN_MATCHES: u64 = 1500;
/// Number of hidden ancestors that a query passes in the time of a step.
const ANCESTORS: u64 = 20;
/// Number of siblings that a query visits in the time of a step.
const SIBLINGS: u64 = 250;
/// Maximum work of all parsers and queries for a file: for the smallest file, for each byte, and in total.
const WORK_AT_LEAST: u64 = 600_000;
const WORK_PER_BYTE: u64 = 24;
const WORK_AT_MOST: u64 = 4_000_000;
/// Maximum memory of the parsers for a file, likewise. Half of the real files need 25 bytes for each of theirs, the densest
/// tables 120.
const MEMORY_AT_LEAST: u64 = 4 << 20;
const MEMORY_PER_BYTE: u64 = 160;
const MEMORY_AT_MOST: u64 = 128 << 20;

/// Memory of the parsers of most files: for each byte, and for any file.
const USUAL_PER_BYTE: u64 = 40;
const USUAL_AT_LEAST: u64 = 1 << 19;

/// The memory that extracting a file of this size usually takes. Files that take more are processed one at a time, so that
/// the memory of several threads is bounded by the sizes of their files and one file at its limit.
pub fn usual_memory(bytes: u64) -> u64 {
    USUAL_AT_LEAST + bytes * USUAL_PER_BYTE
}

/// A limit that the extraction of a file can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// The parser did too much work.
    Work,
    /// The parser held too much memory.
    Memory,
}

impl Limit {
    pub(crate) fn issue(self) -> IssueKind {
        match self {
            Self::Work => IssueKind::Budget,
            Self::Memory => IssueKind::Memory,
        }
    }
}

/// An amount of work, in units of about one parser step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work(u64);

impl Work {
    /// The work of a parse: its steps, its allocations, and its reading of the text.
    pub(crate) fn of_parse(steps: u64, meter: &Meter, reading: u64) -> Self {
        let copying = meter.copied() / COPIED;
        let recoveries = meter.recoveries();
        let recovering = recoveries * WORK_PER_RECOVERY + recoveries * recoveries / (2 * SKIPPED);
        Self(steps + meter.allocations() + copying + recovering + reading)
    }

    /// The work of visiting siblings in a query.
    pub(crate) fn of_siblings(looks: u64) -> Self {
        Self(looks / SIBLINGS)
    }

    /// The work of visiting ancestors in a query.
    pub(crate) fn of_ancestors(looks: u64) -> Self {
        Self(looks / ANCESTORS)
    }

    /// The work of a query for its open matches between two progress callbacks, estimated from the memory they hold.
    pub(crate) fn of_open_matches(held: u64) -> Self {
        Self(held.saturating_sub(USUAL_OPEN_MATCHES) / OPEN_MATCHES)
    }

    /// The work that a query reports itself.
    pub(crate) fn of_query(work: u64) -> Self {
        Self(work / QUERY_WORK)
    }
}

/// The remaining budget of a file. Its parses, those of embedded languages, and its queries share it.
pub(crate) struct Budget {
    work: u64,
    memory: u64,
    /// Measures the memory held for this file.
    meter: Meter,
    /// Memory beyond which this file must be the only one.
    usual: u64,
    large: Option<LargeFilePermit>,
}

impl Budget {
    /// The budget of a file of this size. Create it before the first parse, on the same thread.
    pub(crate) fn of(bytes: usize) -> Self {
        let scaled = |least: u64, each: u64, most: u64| (least + bytes as u64 * each).min(most);
        Self {
            work: scaled(WORK_AT_LEAST, WORK_PER_BYTE, WORK_AT_MOST),
            memory: scaled(MEMORY_AT_LEAST, MEMORY_PER_BYTE, MEMORY_AT_MOST),
            meter: Meter::start(),
            usual: usual_memory(bytes as u64),
            large: None,
        }
    }

    /// The remaining work.
    pub(crate) fn left(&self) -> u64 {
        self.work
    }

    /// The limit that a parse has reached. Waits if both this file and another hold more memory than usual; waiting affects
    /// when the parse continues, never its result.
    pub(crate) fn exceeded(&mut self, Work(units): Work) -> Option<Limit> {
        let held = self.meter.held();
        if held > self.memory {
            return Some(Limit::Memory);
        }
        if held > self.usual && self.large.is_none() {
            self.large = Some(LargeFilePermit::wait());
        }
        (units > self.work).then_some(Limit::Work)
    }

    /// Subtracts work; false if it exceeds what remains.
    pub(crate) fn spend(&mut self, Work(units): Work) -> bool {
        let enough = units <= self.work;
        self.work = self.work.saturating_sub(units);
        enough
    }
}

/// The permit of the one file in the process that may take more memory than usual; dropping it releases the permit.
struct LargeFilePermit(());

static IS_LARGE: Mutex<bool> = Mutex::new(false);
static NONE_LARGE: Condvar = Condvar::new();

impl LargeFilePermit {
    /// Waits for the permit. Its holder waits for nothing, so there is no deadlock.
    fn wait() -> Self {
        let lock = IS_LARGE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_large =
            NONE_LARGE.wait_while(lock, |taken| *taken).unwrap_or_else(PoisonError::into_inner);
        *is_large = true;
        Self(())
    }
}

impl Drop for LargeFilePermit {
    fn drop(&mut self) {
        *IS_LARGE.lock().unwrap_or_else(PoisonError::into_inner) = false;
        NONE_LARGE.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn limits_grow_with_the_file_up_to_a_maximum() {
        let [small, medium, large, larger] = [1 << 10, 1 << 17, 1 << 21, 1 << 24].map(Budget::of);
        assert!(small.work < medium.work && medium.work < large.work && large.work == larger.work);
        assert!(
            small.memory < medium.memory && medium.memory < large.memory && large.memory == larger.memory
        );
    }

    #[test]
    fn all_parses_of_a_file_share_its_budget() {
        let mut budget = Budget::of(0);
        assert!(budget.spend(Work(WORK_AT_LEAST - 1)));
        assert_eq!(budget.exceeded(Work(1)), None);
        assert_eq!(budget.exceeded(Work(2)), Some(Limit::Work));
        assert!(!budget.spend(Work(2)) && budget.left() == 0);
    }

    #[test]
    fn open_matches_end_a_query_after_a_second() {
        /// Between two reports a query with 4096 open matches takes 0.7 ms, and they hold 4 MiB.
        const REPORTS: usize = 1600;
        let mut budget = Budget::of(2 << 20);
        let mut report = |held| budget.spend(Work::of_open_matches(held));
        assert!((0..1_000_000).all(|_| report(100 << 10)), "no real file holds more, and it costs nothing");
        assert!(!(0..REPORTS).all(|_| report(4 << 20)));
    }

    #[test]
    fn only_one_large_file_at_a_time() {
        let now = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let large = LargeFilePermit::wait();
                        assert_eq!(now.fetch_add(1, Ordering::SeqCst), 0);
                        std::thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                        drop(large);
                    }
                });
            }
        });
    }
}
