//! What reading one file may cost. The limits grow with the file, so that what many files take together can be told from
//! their sizes, and are the same for every machine: facts depend on them.

use orient_grammars::Meter;
use orient_model::IssueKind;
use std::sync::{Condvar, Mutex, PoisonError};

/// Work is counted in units: a step of the parser is one, and so is an allocation; together they take about a quarter of a
/// microsecond. When it begins to recover from an error the parser tries all tokens of the grammar in all its states.
/// Of 8,200 files of real repositories half need less than one unit for each byte, and the densest tables four.
const WORK_PER_RECOVERY: u64 = 200;
/// It also walks over what earlier recoveries skipped: so many skipped parts in the time of a step.
const SKIPPED: u64 = 2;
/// So many bytes of large blocks are copied, and read back for later tokens, in the time of a step.
const COPIED: u64 = 8;
/// A query does so much in the time of a step.
const QUERY_WORK: u64 = 8;
/// A query compares each node with every match it has begun. These hold memory: up to so much of it is usual, and beyond
/// that, passing the nodes between two reports takes the time of a step for so many bytes.
const USUAL_OPEN_MATCHES: u64 = 256 << 10;
const OPEN_MATCHES: u64 = 1500;
/// So many hidden ancestors are passed in the time of a step.
const ANCESTORS: u64 = 20;
/// So many siblings are looked at in the time of a step.
const SIBLINGS: u64 = 250;
/// What all parsers and queries together may do for a file: for any file however small, for each of its bytes, and at
/// most.
const WORK_AT_LEAST: u64 = 600_000;
const WORK_PER_BYTE: u64 = 24;
const WORK_AT_MOST: u64 = 4_000_000;
/// What the parsers may hold at a time for a file, likewise. Half of the real files need 25 bytes for each of theirs, the densest
/// tables 120.
const MEMORY_AT_LEAST: u64 = 4 << 20;
const MEMORY_PER_BYTE: u64 = 160;
const MEMORY_AT_MOST: u64 = 128 << 20;

/// What the parsers of most files hold for each byte, and for any file.
const USUAL_PER_BYTE: u64 = 40;
const USUAL_AT_LEAST: u64 = 1 << 19;

/// How much memory reading a file of so many bytes usually takes. Files that take more are read one at a time, so that what
/// several threads take together can be told from the sizes of their files and one file at its limit.
pub fn usual_memory(bytes: u64) -> u64 {
    USUAL_AT_LEAST + bytes * USUAL_PER_BYTE
}

/// A limit that reading a file can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// The parser had to do too much.
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

/// What a parser has done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work(u64);

impl Work {
    /// Steps of the parser, what it allocated, and what reading the text took.
    pub(crate) fn of_parse(steps: u64, meter: &Meter, reading: u64) -> Self {
        let copying = meter.copied() / COPIED;
        let recoveries = meter.recoveries();
        let recovering = recoveries * WORK_PER_RECOVERY + recoveries * recoveries / (2 * SKIPPED);
        Self(steps + meter.allocations() + copying + recovering + reading)
    }

    /// Looks at the next sibling of a node.
    pub(crate) fn of_siblings(looks: u64) -> Self {
        Self(looks / SIBLINGS)
    }

    /// Looks at the parent of a node.
    pub(crate) fn of_ancestors(looks: u64) -> Self {
        Self(looks / ANCESTORS)
    }

    /// What a query does between two reports for the matches it has begun, from the memory they hold.
    pub(crate) fn of_open_matches(held: u64) -> Self {
        Self(held.saturating_sub(USUAL_OPEN_MATCHES) / OPEN_MATCHES)
    }

    /// What a query counts as its work.
    pub(crate) fn of_query(work: u64) -> Self {
        Self(work / QUERY_WORK)
    }
}

/// What may still be spent on a file. Its parses, those of the languages inside it and its queries share one.
pub(crate) struct Budget {
    work: u64,
    memory: u64,
    /// What is held for this file.
    meter: Meter,
    /// How much that may be before others that need as much have to wait.
    usual: u64,
    large: Option<Large>,
}

impl Budget {
    /// The budget of a file with so many bytes. To be made before its first parse, and on the same thread.
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

    /// How much work is left.
    pub(crate) fn left(&self) -> u64 {
        self.work
    }

    /// The limit that a parse has reached. Waits where it holds more than usual and another does, too: that changes when it
    /// goes on, never what comes of it.
    pub(crate) fn exceeded(&mut self, Work(units): Work) -> Option<Limit> {
        let held = self.meter.held();
        if held > self.memory {
            return Some(Limit::Memory);
        }
        if held > self.usual && self.large.is_none() {
            self.large = Some(Large::wait());
        }
        (units > self.work).then_some(Limit::Work)
    }

    /// Takes what was done; false where it was more than was left.
    pub(crate) fn spend(&mut self, Work(units): Work) -> bool {
        let enough = units <= self.work;
        self.work = self.work.saturating_sub(units);
        enough
    }
}

/// The one file in the process that may take more memory than usual, until it is dropped.
struct Large(());

static IS_LARGE: Mutex<bool> = Mutex::new(false);
static NONE_LARGE: Condvar = Condvar::new();

impl Large {
    /// Waits until no other file is. Whoever is waits for nobody, so there is always an end to it.
    fn wait() -> Self {
        let lock = IS_LARGE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_large =
            NONE_LARGE.wait_while(lock, |taken| *taken).unwrap_or_else(PoisonError::into_inner);
        *is_large = true;
        Self(())
    }
}

impl Drop for Large {
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
    fn limits_grow_with_the_file_up_to_a_point() {
        let [small, medium, large, larger] = [1 << 10, 1 << 17, 1 << 21, 1 << 24].map(Budget::of);
        assert!(small.work < medium.work && medium.work < large.work && large.work == larger.work);
        assert!(
            small.memory < medium.memory && medium.memory < large.memory && large.memory == larger.memory
        );
    }

    #[test]
    fn all_parses_of_a_file_share_its_work() {
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
    fn one_large_file_at_a_time() {
        let now = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let large = Large::wait();
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
