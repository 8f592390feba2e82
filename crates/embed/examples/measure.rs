//! Measures the crate: `cargo run --release -p orient-embed --example measure -- [DIRECTORY] [VECTORS] [LINES] [MODEL]`.
//!
//! Prints throughput, latency, and the recall and time of the search, each beside something of the same run to compare with:
//! reading the same bytes once. Every time is the least of several, because other programs only ever add to it. Without a
//! directory it embeds its own source, which is little.

#![expect(clippy::print_stdout, reason = "it is a program")]
#![expect(clippy::cast_precision_loss, reason = "figures are rounded when printed")]

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use orient_embed::{BuiltIn, Embedder, PackedGroup, PackedIndex, Role, Vector, combine};

const PASTED: usize = 200;
const QUESTIONS: [&str; 8] = [
    "where are retries handled",
    "how does the server parse the body of a request",
    "read a configuration file and merge it with the defaults",
    "hash table with open addressing",
    "free all memory of a device when it is removed",
    "convert a time stamp to a readable date",
    "wait until the queue is empty",
    "check whether the user may write to this file",
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").to_owned());
    let wanted = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(1_000_000);
    let lines = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(40);
    let other = arguments.next().and_then(|path| std::fs::read(path).ok()).map(|bytes| &*bytes.leak());
    let (model, loading) = match other {
        None => timed(BuiltIn::shared),
        Some(bytes) => timed(|| &*Box::leak(Box::new(BuiltIn::from_bytes(bytes).expect("it is a model")))),
    };
    println!("load           {loading:?}");

    let mut texts = Vec::new();
    gather(Path::new(&directory), lines, wanted, &mut texts);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let (mut reading, mut embedding, mut sums) = (Duration::ZERO, Duration::ZERO, Vec::new());
    // In portions, so that each has a chance to run undisturbed.
    for portion in texts.chunks(200) {
        reading +=
            least(3, || portion.iter().map(|text| checksum(text.as_bytes())).fold(0, u64::wrapping_add));
        embedding += least(3, || model.embed(portion, Role::Passage).expect("it never fails"));
        sums.extend(model.embed(portion, Role::Passage).expect("it never fails"));
    }
    println!(
        "embedding      {:.0} MB/s: {} chunks, {:.1} MB in {embedding:?}; {:.0} times reading it",
        bytes as f64 / 1e6 / embedding.as_secs_f64(),
        texts.len(),
        bytes as f64 / 1e6,
        embedding.as_secs_f64() / reading.as_secs_f64()
    );

    let queries: Vec<Vector> =
        QUESTIONS.iter().map(|text| combine(&[(&model.embed_text(text), 1.0)])).collect();
    let elapsed: Duration =
        QUESTIONS.iter().map(|text| least(50, || combine(&[(&model.embed_text(text), 1.0)]))).sum();
    println!("query          {:?}", elapsed / QUESTIONS.len() as u32);

    let mut index = PackedIndex::new(model.dimension());
    let mut packed = Vec::new();
    for (key, sum) in (0..).zip(sums.iter().take(wanted)) {
        packed.clear();
        combine(&[(sum, 1.0)]).pack(&mut packed);
        index.push(key, PackedGroup { vectors: &packed, counts: &[1] });
    }
    search(&index, &queries);
    // Lines of the sources themselves, as people paste them.
    let every = texts.len().div_ceil(PASTED).max(1);
    let lines = texts.iter().step_by(every).filter_map(|text| text.lines().max_by_key(|line| line.len()));
    let pasted: Vec<Vector> = lines.map(|line| combine(&[(&model.embed_text(line), 1.0)])).collect();
    println!("recall@10      {:.4} on {} questions", recall(&index, &queries), queries.len());
    println!("recall@10      {:.4} on {} pasted lines", recall(&index, &pasted), pasted.len());
}

fn search(index: &PackedIndex, queries: &[Vector]) {
    let floor = vec![1_u8; index.len() * 128];
    let (mut best, mut best_exact, mut best_floor) = (Duration::MAX, Duration::MAX, Duration::MAX);
    for query in queries {
        best_floor = best_floor.min(least(3, || checksum(&floor)));
        best_exact = best_exact.min(least(3, || index.search_exact(query, 10)));
        best = best.min(least(3, || index.search(query, 10)));
    }
    println!(
        "search         {best:?} in {} vectors; exact {best_exact:?} ({:.1} times), reading their bytes {best_floor:?}",
        index.len(),
        best_exact.as_secs_f64() / best.as_secs_f64()
    );
}

/// How many of the ten best are found. Equal scores are equally right: chunks that are copies of each other are common.
fn recall(index: &PackedIndex, queries: &[Vector]) -> f64 {
    let (mut found, mut wanted) = (0, 0);
    for query in queries {
        let exact = index.search_exact(query, 10);
        let least = exact.last().map_or(0, |hit| hit.score);
        wanted += exact.len();
        found += index.search(query, 10).iter().filter(|hit| hit.score >= least).count();
    }
    found as f64 / wanted as f64
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = black_box(work());
    (result, start.elapsed())
}

/// The least of several times: what the work takes when nothing comes between.
fn least<T>(repeats: usize, mut work: impl FnMut() -> T) -> Duration {
    (0..repeats).map(|_| timed(&mut work).1).min().unwrap_or_default()
}

/// A floor: every byte is read once.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.as_chunks().0.iter().fold(0, |sum, &word| sum ^ u64::from_le_bytes(word))
}

/// Windows of the text files below a directory, until there are enough.
fn gather(directory: &Path, lines: usize, wanted: usize, into: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if into.len() >= wanted {
            return;
        }
        if path.is_dir() && !path.is_symlink() {
            gather(&path, lines, wanted, into);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            let all: Vec<&str> = text.lines().collect();
            into.extend(all.chunks(lines).map(|window| window.join("\n")));
        }
    }
}
