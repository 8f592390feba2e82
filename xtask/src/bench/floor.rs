//! `bench floor`: a full index, compared with reading and parsing the same files with the same number of threads.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use super::process::{self, Cost, Scratch, mebibytes};
use crate::corpus::{Corpus, default_threads};
use crate::report::{count, table};
use anyhow::{Context, Result, bail};
use orient_lang::Pack;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Files, lines and bytes by language.
#[derive(Default, Serialize, Deserialize)]
struct CorpusSize(BTreeMap<String, [u64; 3]>);

/// Measures floor and product alternately and prints a table.
pub(super) fn run(
    directory: &Path,
    threads: Option<usize>,
    rounds: usize,
    at_most: Option<f64>,
) -> Result<()> {
    let threads = threads.unwrap_or_else(default_threads);
    let product = process::product()?;
    let mut floor: Option<Cost> = None;
    let mut index: Option<Cost> = None;
    let mut stored = [0; 2];
    let best = |old: &mut Option<Cost>, new: Cost| {
        if old.as_ref().is_none_or(|old| new.time < old.time) {
            *old = Some(new);
        }
    };
    let floor_step =
        || process::cost(process::step("floor-step")?.arg(directory).arg(threads.to_string()), true);
    // The first run only warms the page cache, so that neither side pays for the disk.
    floor_step()?;
    for _ in 0..rounds.max(1) {
        best(&mut floor, floor_step()?);
        let scratch = Scratch::new("floor")?;
        best(
            &mut index,
            process::cost(&mut index_command(&product, directory, scratch.path(), threads), true)?,
        );
        stored = ["index.db", "cache.db"].map(|name| process::size_of(scratch.path(), &|file| file == name));
    }
    let (floor, index) = floor.zip(index).context("at least one round was measured")?;
    let seen: CorpusSize = serde_json::from_str(&floor.printed).context("the floor says what it saw")?;
    let ratio = index.time.as_secs_f64() / floor.time.as_secs_f64();
    print(directory, threads, &seen, &floor, &index, stored);
    match at_most {
        Some(limit) if ratio > limit => bail!("{ratio:.2} times the floor is above {limit}"),
        _ => Ok(()),
    }
}

/// Builds a first index of `directory` in an empty store.
pub(crate) fn index_command(product: &Path, directory: &Path, store: &Path, threads: usize) -> Command {
    let mut command = Command::new(product);
    command.arg("index").arg("--root").arg(directory).arg("--store").arg(store).arg("--quiet");
    command.env("ORIENT_INDEX_THREADS", threads.to_string());
    command
}

#[expect(clippy::cast_precision_loss, reason = "ratios for people")]
fn print(directory: &Path, threads: usize, seen: &CorpusSize, floor: &Cost, index: &Cost, stored: [u64; 2]) {
    let sum = |column: usize| seen.0.values().map(|counts| counts[column]).sum::<u64>();
    let (files, lines, bytes) = (sum(0), sum(1), sum(2));
    println!(
        "{}: {} text files, {} lines, {}; {threads} threads",
        directory.display(),
        count(files),
        count(lines),
        mebibytes(bytes)
    );
    let mut languages: Vec<_> = seen.0.iter().collect();
    languages.sort_by_key(|(name, counts)| (std::cmp::Reverse(counts[1]), name.as_str()));
    let row = |(name, counts): &(&String, &[u64; 3])| {
        vec![(*name).clone(), count(counts[0]), count(counts[1]), mebibytes(counts[2])]
    };
    table(&["language", "files", "lines", "bytes"], &languages.iter().map(row).collect::<Vec<_>>());
    println!();
    let cost = |name: &str, cost: &Cost| {
        let seconds = cost.time.as_secs_f64();
        vec![
            name.to_owned(),
            format!("{seconds:.2} s"),
            format!("{:.2}", seconds / floor.time.as_secs_f64()),
            format!("{:.2} s", cost.cpu.as_secs_f64()),
            format!("{:.2}", cost.cpu.as_secs_f64() / floor.cpu.as_secs_f64()),
            format!("{} lines/s", count(lines * 1000 / (cost.time.as_millis() as u64).max(1))),
            mebibytes(cost.memory),
        ]
    };
    let rows = [cost("read and parse", floor), cost("orient index", index)];
    table(&["", "time", "ratio", "cpu time", "ratio", "rate", "peak memory"], &rows);
    for (name, stored) in ["the index", "the cache of facts"].iter().zip(stored) {
        println!("{name} {}: {:.3} of the source", mebibytes(stored), stored as f64 / bytes as f64);
    }
}

/// Reads and parses every file, and prints the totals.
pub(super) fn step(directory: &Path, threads: usize) -> Result<()> {
    let corpus = Corpus::list(directory, threads)?;
    let parts = corpus.read(threads, CorpusSize::default, |seen, text| {
        let counts = seen.0.entry(text.pack.map_or("other text", Pack::title).to_owned()).or_default();
        let lines = memchr::memchr_iter(b'\n', &text.bytes).count();
        let more = [1, lines as u64, text.bytes.len() as u64];
        counts.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        if let Some(pack) = text.pack {
            orient_lang::parse_only(pack, &text.bytes);
        }
    });
    let mut all = CorpusSize::default();
    for (name, counts) in parts.into_iter().flat_map(|seen| seen.0) {
        let sums = all.0.entry(name).or_default();
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    println!("{}", serde_json::to_string(&all)?);
    Ok(())
}
