//! Parse against extract, per language, over a folder: `cargo run --release --example speed -- DIR`.

use orient_lang::{Registry, extract, parse_only};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

fn main() {
    let folder = std::env::args().nth(1).expect("usage: speed DIR");
    let mut pending = vec![std::path::PathBuf::from(folder)];
    let mut sums: BTreeMap<String, (usize, Duration, Duration)> = BTreeMap::new();
    while let Some(path) = pending.pop() {
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            pending.extend(std::fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
            continue;
        }
        let Ok(bytes) = std::fs::read(&path) else { continue };
        if bytes.len() > 2 << 20 {
            continue;
        }
        let Some(pack) = Registry::builtin().detect(path.as_os_str().as_encoded_bytes(), &bytes) else { continue };
        let start = Instant::now();
        parse_only(pack, &bytes);
        let parsed = start.elapsed();
        let start = Instant::now();
        std::hint::black_box(extract(Some(pack), &bytes));
        let extracted = start.elapsed();
        let sum = sums.entry(pack.name().to_owned()).or_default();
        *sum = (sum.0 + bytes.len(), sum.1 + parsed, sum.2 + extracted);
    }
    for (name, (bytes, parsed, extracted)) in sums {
        let mb = bytes as f64 / 1e6;
        println!(
            "{name:12} {mb:8.1} MB  parse {:6.1} MB/s  extract {:6.1} MB/s  ratio {:.2}",
            mb / parsed.as_secs_f64(),
            mb / extracted.as_secs_f64(),
            extracted.as_secs_f64() / parsed.as_secs_f64()
        );
    }
}
