//! A parallel pipeline: many worker threads, one consumer, results in job order, bounded memory.
//!
//! It knows nothing about files. Jobs are taken in order and only when there is memory for them, so the job that the
//! consumer waits for never waits for memory. Example with a limit of 10 bytes: jobs cost 6, 6, 2. A worker takes job
//! 0; job 1 must wait (6 + 6 > 10), and job 2 waits behind it. When the consumer has taken result 0, job 1 starts.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Parsers may recurse on deeply nested source; reserved address space is free.
pub const PARSER_STACK_BYTES: usize = 64 << 20;

/// The resources of the workers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PipelineLimits {
    /// Number of threads.
    pub(crate) threads: usize,
    /// Maximum number of bytes in flight, from taking a job until its result is consumed. A job that alone exceeds it
    /// runs alone.
    pub(crate) bytes: u64,
}

/// The work on each job.
pub(crate) trait ParallelWork: Sync {
    /// The input.
    type Job: Sync;
    /// The output.
    type Output: Send;
    /// The state of each thread.
    type Tools;

    /// Called once per thread.
    fn tools(&self) -> Self::Tools;
    /// The bytes that a job needs while it runs.
    fn cost(&self, job: &Self::Job) -> u64;
    /// Runs a job; returns its output and the bytes that the output holds.
    fn run(&self, tools: &mut Self::Tools, job: &Self::Job) -> (Self::Output, u64);
    /// Whether to take no further jobs.
    fn stop(&self) -> bool;
}

/// Runs the jobs on worker threads, and `consume` on the calling thread with the results in job order. If the work
/// stops early, the results are those of a prefix of the jobs.
pub(crate) fn run<W: ParallelWork, T>(
    work: &W,
    jobs: &[W::Job],
    bounds: PipelineLimits,
    consume: impl FnOnce(&mut OrderedResults<'_, W::Output>) -> T,
) -> std::io::Result<T> {
    let gate =
        MemoryGate { state: Mutex::new(QueueState::default()), room: Condvar::new(), bytes: bounds.bytes };
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        let mut results = OrderedResults { gate: &gate, receiver, early: BTreeMap::new(), next: 0, held: 0 };
        for number in 0..bounds.threads.clamp(1, jobs.len().max(1)) {
            let (sender, gate) = (sender.clone(), &gate);
            thread::Builder::new()
                .name(format!("index-{number}"))
                .stack_size(PARSER_STACK_BYTES)
                .spawn_scoped(scope, move || serve(work, jobs, gate, &sender))?;
        }
        drop(sender);
        Ok(consume(&mut results))
    })
}

/// A worker: takes jobs until there are none.
fn serve<W: ParallelWork>(
    work: &W,
    jobs: &[W::Job],
    gate: &MemoryGate,
    sender: &Sender<TaskResult<W::Output>>,
) {
    let mut tools = None;
    while let Some((at, taken)) = gate.take(work, jobs) {
        let tools = tools.get_or_insert_with(|| work.tools());
        let (output, held) = work.run(tools, &jobs[at]);
        let held = held.min(taken);
        gate.give_back(taken - held);
        if sender.send(TaskResult { at, output, held }).is_err() {
            return;
        }
    }
}

struct TaskResult<R> {
    at: usize,
    output: R,
    held: u64,
}

#[derive(Default)]
struct QueueState {
    next: usize,
    in_flight: u64,
    stopped: bool,
}

struct MemoryGate {
    state: Mutex<QueueState>,
    room: Condvar,
    bytes: u64,
}

impl MemoryGate {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job and the bytes reserved for it, once there is memory.
    fn take<W: ParallelWork>(&self, work: &W, jobs: &[W::Job]) -> Option<(usize, u64)> {
        let mut state = self.lock();
        loop {
            if state.stopped || work.stop() {
                return None;
            }
            let at = state.next;
            let cost = work.cost(jobs.get(at)?);
            if state.in_flight == 0 || state.in_flight.saturating_add(cost) <= self.bytes {
                state.next += 1;
                state.in_flight += cost;
                return Some((at, cost));
            }
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn give_back(&self, bytes: u64) {
        if bytes > 0 {
            self.lock().in_flight -= bytes;
            self.room.notify_all();
        }
    }
}

/// Results in job order. The memory of a result is released when the next one is requested.
pub(crate) struct OrderedResults<'g, R> {
    gate: &'g MemoryGate,
    receiver: Receiver<TaskResult<R>>,
    early: BTreeMap<usize, (R, u64)>,
    next: usize,
    held: u64,
}

impl<R> OrderedResults<'_, R> {
    /// Number of delivered results.
    pub(crate) fn delivered(&self) -> usize {
        self.next
    }
}

impl<R> Iterator for OrderedResults<'_, R> {
    type Item = R;

    fn next(&mut self) -> Option<R> {
        self.gate.give_back(std::mem::take(&mut self.held));
        loop {
            if let Some((output, held)) = self.early.remove(&self.next) {
                self.next += 1;
                self.held = held;
                return Some(output);
            }
            let TaskResult { at, output, held } = self.receiver.recv().ok()?;
            self.early.insert(at, (output, held));
        }
    }
}

impl<R> Drop for OrderedResults<'_, R> {
    fn drop(&mut self) {
        self.gate.lock().stopped = true;
        self.gate.room.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    use std::time::Duration;

    /// Squares numbers, slowest first; measures the bytes in flight.
    struct Squares {
        stop_after: usize,
        taken: AtomicUsize,
        in_flight: AtomicU64,
        peak: AtomicU64,
    }

    impl Squares {
        fn new(stop_after: usize) -> Self {
            let zero = || AtomicU64::new(0);
            Self { stop_after, taken: AtomicUsize::new(0), in_flight: zero(), peak: zero() }
        }
    }

    impl ParallelWork for Squares {
        type Job = u64;
        type Output = u64;
        type Tools = ();

        fn tools(&self) {}

        fn cost(&self, job: &u64) -> u64 {
            *job
        }

        fn run(&self, (): &mut (), job: &u64) -> (u64, u64) {
            self.taken.fetch_add(1, Ordering::Relaxed);
            let now = self.in_flight.fetch_add(*job, Ordering::SeqCst) + job;
            self.peak.fetch_max(now, Ordering::SeqCst);
            thread::sleep(Duration::from_micros(200 - (job % 20) * 10));
            self.in_flight.fetch_sub(*job, Ordering::SeqCst);
            (job * job, job / 2)
        }

        fn stop(&self) -> bool {
            self.taken.load(Ordering::Relaxed) >= self.stop_after
        }
    }

    #[test]
    fn results_are_in_order_on_any_number_of_threads() {
        let jobs: Vec<u64> = (0..200).map(|n| n % 20).collect();
        for threads in [1, 2, 8] {
            let work = Squares::new(usize::MAX);
            let bounds = PipelineLimits { threads, bytes: 50 };
            let squares: Vec<u64> =
                run(&work, &jobs, bounds, |results| results.collect()).expect("threads start");
            assert_eq!(squares, jobs.iter().map(|n| n * n).collect::<Vec<_>>());
            assert!(work.peak.into_inner() <= 50, "bounded");
        }
    }

    #[test]
    fn a_job_larger_than_the_limit_runs_alone() {
        let work = Squares::new(usize::MAX);
        let bounds = PipelineLimits { threads: 4, bytes: 5 };
        let squares: Vec<u64> =
            run(&work, &[3, 19, 4, 18], bounds, |results| results.collect()).expect("threads start");
        assert_eq!(squares, [9, 361, 16, 324]);
        assert!(work.peak.into_inner() <= 19);
    }

    #[test]
    fn stopping_delivers_a_prefix() {
        let work = Squares::new(10);
        let jobs = vec![1; 100];
        let (count, delivered) = run(&work, &jobs, PipelineLimits { threads: 4, bytes: 8 }, |results| {
            let count = results.by_ref().count();
            (count, results.delivered())
        })
        .expect("threads start");
        assert_eq!(count, delivered);
        assert!((10..20).contains(&count), "{count}");
    }

    #[test]
    fn a_consumer_that_returns_early_ends_the_workers() {
        let work = Squares::new(usize::MAX);
        let jobs = vec![1; 10_000];
        let first = run(&work, &jobs, PipelineLimits { threads: 2, bytes: 4 }, |results| results.next())
            .expect("threads start");
        assert_eq!(first, Some(1));
        assert!(work.taken.into_inner() < 100);
    }

    #[test]
    fn no_jobs_give_no_results() {
        let none =
            run(&Squares::new(1), &[], PipelineLimits { threads: 3, bytes: 1 }, |results| results.next())
                .expect("threads start");
        assert_eq!(none, None);
    }
}
