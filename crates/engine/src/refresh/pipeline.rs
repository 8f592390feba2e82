//! Many threads, one consumer, results in the order of the jobs, bytes in flight bounded.
//!
//! Knows nothing of files. A job is taken only once there is room for it, and jobs are taken in order: the result
//! the consumer waits for is therefore never the one that waits for room.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Parsers may recurse on deeply nested sources; address space costs nothing.
pub const STACK: usize = 64 << 20;

/// What the threads may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// How many threads.
    pub(crate) threads: usize,
    /// How many bytes may be in flight, counted from when a job is taken until its result is consumed. A job that
    /// alone needs more runs alone.
    pub(crate) bytes: u64,
}

/// What is done with each job.
pub(crate) trait Work: Sync {
    /// What comes in.
    type Job: Sync;
    /// What comes out.
    type Output: Send;
    /// What each thread keeps for itself.
    type Tools;

    /// Called once on each thread.
    fn tools(&self) -> Self::Tools;
    /// How many bytes a job needs while it is worked on.
    fn cost(&self, job: &Self::Job) -> u64;
    /// Does it; also says how many bytes the result holds.
    fn run(&self, tools: &mut Self::Tools, job: &Self::Job) -> (Self::Output, u64);
    /// Whether to take no further job.
    fn stop(&self) -> bool;
}

/// Runs the jobs, and `consume` on the calling thread with their results in the order of the jobs. The results end
/// early if the work says stop; they then are those of a first part of the jobs.
pub(crate) fn run<W: Work, T>(
    work: &W,
    jobs: &[W::Job],
    bounds: Bounds,
    consume: impl FnOnce(&mut Results<'_, W::Output>) -> T,
) -> std::io::Result<T> {
    let gate = Gate { state: Mutex::new(State::default()), room: Condvar::new(), bytes: bounds.bytes };
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        let mut results = Results { gate: &gate, receiver, early: BTreeMap::new(), next: 0, held: 0 };
        for number in 0..bounds.threads.clamp(1, jobs.len().max(1)) {
            let (sender, gate) = (sender.clone(), &gate);
            thread::Builder::new()
                .name(format!("index-{number}"))
                .stack_size(STACK)
                .spawn_scoped(scope, move || serve(work, jobs, gate, &sender))?;
        }
        drop(sender);
        Ok(consume(&mut results))
    })
}

/// One thread: takes jobs until there are none.
fn serve<W: Work>(work: &W, jobs: &[W::Job], gate: &Gate, sender: &Sender<Delivery<W::Output>>) {
    let mut tools = None;
    while let Some((at, taken)) = gate.take(work, jobs) {
        let tools = tools.get_or_insert_with(|| work.tools());
        let (output, held) = work.run(tools, &jobs[at]);
        let held = held.min(taken);
        gate.give_back(taken - held);
        if sender.send(Delivery { at, output, held }).is_err() {
            return;
        }
    }
}

struct Delivery<R> {
    at: usize,
    output: R,
    held: u64,
}

#[derive(Default)]
struct State {
    next: usize,
    in_flight: u64,
    stopped: bool,
}

struct Gate {
    state: Mutex<State>,
    room: Condvar,
    bytes: u64,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job and the bytes set aside for it, once there is room.
    fn take<W: Work>(&self, work: &W, jobs: &[W::Job]) -> Option<(usize, u64)> {
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

/// Results in the order of their jobs. The room of a result is given back when the next one is asked for.
pub(crate) struct Results<'g, R> {
    gate: &'g Gate,
    receiver: Receiver<Delivery<R>>,
    early: BTreeMap<usize, (R, u64)>,
    next: usize,
    held: u64,
}

impl<R> Results<'_, R> {
    /// How many results were given out.
    pub(crate) fn delivered(&self) -> usize {
        self.next
    }
}

impl<R> Iterator for Results<'_, R> {
    type Item = R;

    fn next(&mut self) -> Option<R> {
        self.gate.give_back(std::mem::take(&mut self.held));
        loop {
            if let Some((output, held)) = self.early.remove(&self.next) {
                self.next += 1;
                self.held = held;
                return Some(output);
            }
            let Delivery { at, output, held } = self.receiver.recv().ok()?;
            self.early.insert(at, (output, held));
        }
    }
}

impl<R> Drop for Results<'_, R> {
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

    /// Squares numbers, slowest first; watches how much is in flight.
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

    impl Work for Squares {
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
    fn results_come_in_order_on_any_number_of_threads() {
        let jobs: Vec<u64> = (0..200).map(|n| n % 20).collect();
        for threads in [1, 2, 8] {
            let work = Squares::new(usize::MAX);
            let bounds = Bounds { threads, bytes: 50 };
            let squares: Vec<u64> =
                run(&work, &jobs, bounds, |results| results.collect()).expect("threads start");
            assert_eq!(squares, jobs.iter().map(|n| n * n).collect::<Vec<_>>());
            assert!(work.peak.into_inner() <= 50, "bounded");
        }
    }

    #[test]
    fn a_job_larger_than_the_bound_runs_alone() {
        let work = Squares::new(usize::MAX);
        let bounds = Bounds { threads: 4, bytes: 5 };
        let squares: Vec<u64> =
            run(&work, &[3, 19, 4, 18], bounds, |results| results.collect()).expect("threads start");
        assert_eq!(squares, [9, 361, 16, 324]);
        assert!(work.peak.into_inner() <= 19);
    }

    #[test]
    fn a_stop_leaves_a_first_part() {
        let work = Squares::new(10);
        let jobs = vec![1; 100];
        let (count, delivered) = run(&work, &jobs, Bounds { threads: 4, bytes: 8 }, |results| {
            let count = results.by_ref().count();
            (count, results.delivered())
        })
        .expect("threads start");
        assert_eq!(count, delivered);
        assert!((10..20).contains(&count), "{count}");
    }

    #[test]
    fn a_consumer_that_gives_up_ends_the_threads() {
        let work = Squares::new(usize::MAX);
        let jobs = vec![1; 10_000];
        let first = run(&work, &jobs, Bounds { threads: 2, bytes: 4 }, |results| results.next())
            .expect("threads start");
        assert_eq!(first, Some(1));
        assert!(work.taken.into_inner() < 100);
    }

    #[test]
    fn no_job_no_result() {
        let none = run(&Squares::new(1), &[], Bounds { threads: 3, bytes: 1 }, |results| results.next())
            .expect("threads start");
        assert_eq!(none, None);
    }
}
