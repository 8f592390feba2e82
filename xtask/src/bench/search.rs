//! What a question costs: in a process of its own, in one that has answered before, and there after a file has changed.
#![expect(clippy::print_stdout, reason = "a chore talks to the terminal")]

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

/// How many questions a process of its own is asked; each takes the start of one.
const COLD: usize = 15;
/// One question in so many is a bare name; the others are words.
const NAMES: usize = 4;

/// Indexes a directory and asks about symbols spread evenly over it; `at_most` is what the median may take, in milliseconds.
/// With `changes`, all that happens to a copy of the directory, and so often a file of it changes.
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
    // The first two read what later ones find in memory.
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

/// How long things take after files have changed.
#[derive(Default)]
struct Changed {
    updates: Vec<Duration>,
    first: Vec<Duration>,
    second: Vec<Duration>,
}

/// Changes files, one at a time, and asks after each.
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

/// How long a question takes.
fn time(engine: &Engine, text: &str) -> Result<Duration> {
    let query = SearchQuery { text: text.to_owned(), limit: 10, ..SearchQuery::default() };
    let begun = Instant::now();
    engine.snapshot()?.search(&query)?;
    Ok(begun.elapsed())
}

/// Gives one of the files a line more, another one each time, and catches up.
fn change(engine: &Engine, directory: &Path, number: usize) -> Result<()> {
    /// Far enough from each other to be of all kinds.
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

/// Questions in the words of names, and some that are names.
fn asked(snapshot: &Snapshot, questions: usize) -> Result<Vec<String>> {
    let all = snapshot.symbols(&DefinitionQuery::default(), 0, usize::MAX)?.rows;
    let mut asked = Vec::new();
    for symbol in all.iter().step_by((all.len() / questions.max(1)).max(1)) {
        let names = &symbol.handle.names;
        // An operator is no question.
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

/// A name as one would say it.
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
