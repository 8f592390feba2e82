//! How long indexing and catching up take. Run in release: `cargo test --release -p orient-engine --test figures --
//! --ignored --nocapture`, with `ORIENT_FIGURES` naming a folder to measure in place of one that is made up.

mod support;

use orient_walk::{WalkOptions, list};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use support::{Bench, open, refresh, settle};

const FILES: usize = 10_000;
const RUNS: usize = 9;

/// The middle of several runs.
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
    let first = refresh(&engine);
    println!("first index: {} files, {} bytes, {:?}", first.added, first.bytes, first.elapsed);
    let index = std::fs::metadata(engine.place().index()).expect("an index").len();
    let cache = std::fs::metadata(engine.place().cache()).expect("a cache").len();
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
