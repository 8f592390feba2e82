//! `orient mcp` as an agent feels it: from the start of the process to the first answer, and what it holds while idle.
#![expect(clippy::print_stdout, reason = "a chore talks to the terminal")]

use super::process::{self, Scratch, mebibytes};
use crate::asking::Asking;
use crate::report::table;
use anyhow::{Result, bail, ensure};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long a server is left alone before its memory is looked at.
const IDLE: Duration = Duration::from_secs(3);

/// Measures; `at_most` is what the first answer may take, in milliseconds.
pub(super) fn run(directory: &Path, rounds: usize, at_most: Option<u64>) -> Result<()> {
    let product = process::product()?;
    let scratch = Scratch::new("mcp")?;
    let fresh = held_after_first_index(&product, directory, scratch.path())?;
    let (mut floors, mut starts, mut warm) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds.max(1) {
        floors.push(process::cost(Command::new(&product).arg("--version"), false)?.time);
        let begun = Instant::now();
        let mut asking = Asking::start(&product, directory, scratch.path())?;
        ask(&mut asking, &question())?;
        starts.push(begun.elapsed());
        let begun = Instant::now();
        ask(&mut asking, &question())?;
        warm.push(begun.elapsed());
    }
    let idle = held(&product, directory, scratch.path())?;
    let (floor, start, warm) = (median(floors), median(starts), median(warm));
    let row = |what: &str, time: Duration| {
        let ratio = time.as_secs_f64() / floor.as_secs_f64().max(1e-9);
        vec![what.to_owned(), format!("{:.1} ms", time.as_secs_f64() * 1000.0), format!("{ratio:.1}")]
    };
    let rows = [
        row("a process that prints its version", floor),
        row("start to first answer", start),
        row("another answer", warm),
    ];
    table(&["median", "time", "times the floor"], &rows);
    println!("idle after answers: {}; idle after a first index: {}", mebibytes(idle), mebibytes(fresh));
    match at_most {
        Some(most) if start > Duration::from_millis(most) => {
            bail!("the first answer took longer than {most} ms")
        }
        _ => Ok(()),
    }
}

fn question() -> Value {
    json!({ "name": "search", "arguments": { "query": "main", "again": true } })
}

fn ask(asking: &mut Asking, question: &Value) -> Result<()> {
    let answer = asking.request("tools/call", question)?;
    ensure!(answer["isError"] != true, "no answer: {answer}");
    Ok(())
}

/// The memory of a server that made the first index itself, once it is idle.
fn held_after_first_index(product: &Path, directory: &Path, store: &Path) -> Result<u64> {
    let mut asking = Asking::start(product, directory, store)?;
    // Questions are answered with how far it is until the index is there.
    while asking.request("tools/call", &question())?["isError"] == true {}
    std::thread::sleep(IDLE);
    Ok(resident(asking.process()))
}

/// The memory of a server that answered some questions, once it is idle.
fn held(product: &Path, directory: &Path, store: &Path) -> Result<u64> {
    let mut asking = Asking::start(product, directory, store)?;
    let questions = [
        question(),
        json!({ "name": "overview", "arguments": { "about": "map" } }),
        json!({ "name": "overview", "arguments": { "about": "files" } }),
        json!({ "name": "grep", "arguments": { "pattern": "return" } }),
    ];
    for question in &questions {
        asking.request("tools/call", question)?;
    }
    std::thread::sleep(IDLE);
    Ok(resident(asking.process()))
}

/// The memory a process holds now.
fn resident(process: u32) -> u64 {
    process::held(process, "VmRSS:")
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
