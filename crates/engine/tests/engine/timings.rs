//! Measures how long indexing and refreshing take. Run in release mode: `cargo test --release -p orient-engine --test engine
//! timings -- --ignored --nocapture`; `ORIENT_FIGURES` names a directory to measure instead of a synthetic one.

use crate::support::{Bench, open, refresh, settle};
use orient_engine::{Phase, Progress, RefreshOptions};
use orient_walk::{WalkOptions, list};
use std::cell::RefCell;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const FILES: usize = 10_000;
const RUNS: usize = 9;

/// When each phase began.
#[derive(Default)]
struct Phases(RefCell<Vec<(Phase, Instant)>>, RefCell<Option<Instant>>);

impl Phases {
    fn spent(&self) -> Vec<(Phase, Duration)> {
        let (begun, end) = (self.0.borrow(), self.1.borrow().expect("it ended"));
        let ends = begun.iter().skip(1).map(|(_, at)| *at).chain([end]);
        begun.iter().zip(ends).map(|(&(phase, start), end)| (phase, end - start)).collect()
    }
}

impl Progress for Phases {
    fn phase(&self, phase: Phase, _: u64, _: u64) {
        self.0.borrow_mut().push((phase, Instant::now()));
    }
    fn tick(&self, _: u64, _: u64) {}
    fn waiting(&self, _: Option<u32>, _: Duration) {}
    fn done(&self) {
        *self.1.borrow_mut() = Some(Instant::now());
    }
}

/// The median of several runs.
fn median(mut act: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let started = Instant::now();
            act();
            started.elapsed()
        })
        .collect();
    times.sort();
    times[RUNS / 2]
}

fn made_up() -> Bench {
    let bench = Bench::new(&[]);
    for n in 0..FILES {
        let text =
            format!("import os\n\ndef f{n}(a, b):\n    return a + b\n\nclass C{n}:\n    def m(self): pass\n");
        bench.put(&format!("p{}/q{}/f{n}.py", n % 50, n % 7), text);
    }
    bench
}

#[test]
#[ignore = "measures; means something in release only"]
fn figures() {
    let bench = made_up();
    let root = std::env::var_os("ORIENT_FIGURES").map_or_else(|| bench.root(), PathBuf::from);
    settle();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let engine = open(&root, &bench.store(), threads);
    let options = WalkOptions { threads, ..WalkOptions::default() };
    let walk = median(|| drop(list(&root, &options).expect("a listing")));
    let phases = Phases::default();
    let first = engine.refresh(&RefreshOptions::default(), &phases).expect("an index");
    println!("first index: {} files, {} bytes, {:?}", first.added, first.bytes, first.elapsed);
    let spent = phases.spent();
    let of = |wanted: Phase| {
        spent.iter().filter(|(phase, _)| *phase == wanted).map(|(_, time)| *time).sum::<Duration>()
    };
    let (resolving, rest) = (of(Phase::Resolving), first.elapsed.saturating_sub(of(Phase::Resolving)));
    let percent = resolving.as_secs_f64() * 100.0 / rest.as_secs_f64();
    println!(
        "phases: {spent:?}; resolving adds {percent:.0} % to the rest, {} files failed",
        first.unresolved
    );
    let index = std::fs::metadata(engine.store_paths().index()).expect("an index").len();
    let cache = std::fs::metadata(engine.store_paths().cache()).expect("a cache").len();
    let percent = (index + cache) * 100 / first.bytes.max(1);
    println!("size: index {index} + cache {cache}, {percent} % of the source");
    refresh(&engine);
    println!("bare walk: {walk:?}");
    let nothing = median(|| assert_eq!(refresh(&open(&root, &bench.store(), threads)).parsed, 0));
    println!("nothing changed: {nothing:?}, {:?} beyond the walk", nothing.saturating_sub(walk));
    if std::env::var_os("ORIENT_FIGURES").is_none() {
        let mut n = 0;
        let one = median(|| {
            n += 1;
            bench.put("p1/q1/f1.py", format!("def edited{n}(): pass\n"));
            assert_eq!(refresh(&open(&root, &bench.store(), threads)).changed, 1);
        });
        println!("one changed: {one:?}, {:?} beyond the walk", one.saturating_sub(walk));
    }
}
