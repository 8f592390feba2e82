//! `bench search`: the latency of queries, in a new process, in a warm one, and after a file has changed.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use super::fresh::copy;
use super::graph::row;
use super::process::{self, Scratch};
use crate::report::{count, table};
use anyhow::{Context, Result, bail, ensure};
use orient_engine::{
    DefinitionQuery, Engine, FileQuery, NoProgress, OpenOptions, RefreshOptions, SearchQuery, Snapshot,
};
use orient_settings::Settings;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Number of queries that run in a new process each.
const COLD: usize = 15;
/// One in this many queries is a name; the others are words.
const NAMES: usize = 4;

/// Indexes a directory and runs queries about symbols spread evenly over it; `at_most` limits the median in
/// milliseconds. With `changes`, works on a copy of the directory and changes a file that many times.
pub(super) fn run(
    directory: &Path,
    store: Option<&Path>,
    questions: usize,
    changes: usize,
    at_most: Option<f64>,
) -> Result<()> {
    let scratch = Scratch::new("search")?;
    let copied = scratch.path().join("tree");
    let (directory, store) = if changes > 0 {
        copy(directory, &copied)?;
        (copied.as_path(), None)
    } else {
        (directory, store)
    };
    let store = store.map_or_else(|| scratch.path().join("store"), Path::to_path_buf);
    let options = OpenOptions { force: u8::MAX, store: Some(store.clone()) };
    let engine = Engine::open(directory, Settings::default(), &options)?;
    engine.refresh(&RefreshOptions::default(), &NoProgress)?;
    let snapshot = engine.snapshot()?;
    let lines: u64 = snapshot.status()?.languages.iter().map(|language| language.lines).sum();
    let asked = asked(&snapshot, questions)?;
    drop(snapshot);
    println!("{}: {} lines; {} questions", directory.display(), count(lines), count(asked.len() as u64));

    let mut warm = Vec::with_capacity(asked.len());
    // The first two queries load the caches.
    for text in asked.iter().take(2).chain(&asked) {
        warm.push(time(&engine, text)?);
    }
    warm.drain(..2);
    let mut changed = after_changes(&engine, directory, &asked, changes)?;
    let product = process::product()?;
    let (mut floors, mut cold) = (Vec::new(), Vec::new());
    for text in asked.iter().step_by((asked.len() / COLD).max(1)) {
        floors.push(process::cost(Command::new(&product).arg("--version"), false)?.time);
        let mut command = Command::new(&product);
        command.args(["search", text]).current_dir(directory).env("ORIENT_STORE", &store);
        cold.push(process::cost(&mut command, false)?.time);
    }
    let mut rows = vec![
        row("a process that prints its version", &mut floors),
        row("a process that answers", &mut cold),
        row("an answer in a process that has answered before", &mut warm),
    ];
    if changes > 0 {
        rows.push(row("what is kept for search follows the change of a file", &mut changed.updates));
        rows.push(row("the first answer after that", &mut changed.first));
        rows.push(row("the same question once more", &mut changed.second));
    }
    table(&["", "median", "95 of 100", "worst"], &rows);
    let median = warm[warm.len() / 2].as_secs_f64() * 1000.0;
    match at_most {
        Some(most) if median > most => bail!("the median is above {most} ms"),
        _ => Ok(()),
    }
}

/// Latencies after files have changed.
#[derive(Default)]
struct Changed {
    updates: Vec<Duration>,
    first: Vec<Duration>,
    second: Vec<Duration>,
}

/// Changes files one at a time, and queries after each.
fn after_changes(engine: &Engine, directory: &Path, asked: &[String], changes: usize) -> Result<Changed> {
    let mut changed = Changed::default();
    for number in 0..changes {
        change(engine, directory, number)?;
        let text = &asked[number % asked.len()];
        let (snapshot, begun) = (engine.snapshot()?, Instant::now());
        snapshot.prepare_search()?;
        changed.updates.push(begun.elapsed());
        drop(snapshot);
        changed.first.push(time(engine, text)?);
        changed.second.push(time(engine, text)?);
    }
    Ok(changed)
}

/// The latency of a query.
fn time(engine: &Engine, text: &str) -> Result<Duration> {
    let query = SearchQuery { text: text.to_owned(), limit: 10, ..SearchQuery::default() };
    let begun = Instant::now();
    engine.snapshot()?.search(&query)?;
    Ok(begun.elapsed())
}

/// Appends a line to one of the files, a different one each time, and refreshes.
fn change(engine: &Engine, directory: &Path, number: usize) -> Result<()> {
    /// A stride that reaches files of all kinds.
    const APART: usize = 97;
    let files = engine
        .snapshot()?
        .files(&FileQuery { indexed: Some(true), ..FileQuery::default() }, 0, usize::MAX)?
        .rows;
    let file = files
        .iter()
        .filter(|file| file.chunks > 0)
        .cycle()
        .nth(number * APART)
        .context("a file with text")?;
    let path = directory.join(orient_walk::to_native(&file.path).context("a path of this system")?);
    let text = std::fs::read(&path)?;
    std::fs::write(&path, [b"\n", text.as_slice()].concat())?;
    let refresh = engine.refresh(&RefreshOptions::default(), &NoProgress)?;
    ensure!(refresh.changed == 1, "one file changed, not {}", refresh.changed);
    Ok(())
}

/// Queries from the words of names, and some that are names.
fn asked(snapshot: &Snapshot, questions: usize) -> Result<Vec<String>> {
    let all = snapshot.symbols(&DefinitionQuery::default(), 0, usize::MAX)?.rows;
    let mut asked = Vec::new();
    for symbol in all.iter().step_by((all.len() / questions.max(1)).max(1)) {
        let names = &symbol.handle.names;
        // The name of an operator is not a query.
        if names.last().is_some_and(|name| !name.contains(char::is_alphanumeric)) {
            continue;
        }
        asked.push(match names.last() {
            Some(name) if asked.len() % NAMES == 0 => name.clone(),
            _ => format!("where {} is done", words(&names.join(" "))),
        });
    }
    Ok(asked)
}

/// A name as words.
fn words(name: &str) -> String {
    let mut said = String::new();
    let mut small = false;
    for c in name.chars() {
        if c.is_uppercase() && small {
            said.push(' ');
        }
        small = c.is_lowercase();
        said.extend(if c.is_alphanumeric() { c.to_lowercase().next() } else { Some(' ') });
    }
    said
}
