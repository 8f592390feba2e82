//! `bench mcp`: the time from the start of `orient mcp` to the first answer, and its memory while idle.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use super::process::{self, Scratch, mebibytes};
use crate::mcp_client::McpClient;
use crate::report::table;
use anyhow::{Result, bail, ensure};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Idle time before memory is measured.
const IDLE: Duration = Duration::from_secs(3);

/// Measures; `at_most` limits the time to the first answer, in milliseconds.
pub(super) fn run(directory: &Path, rounds: usize, at_most: Option<u64>) -> Result<()> {
    let product = process::product()?;
    let scratch = Scratch::new("mcp")?;
    let fresh = held_after_first_index(&product, directory, scratch.path())?;
    let (mut floors, mut starts, mut warm) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds.max(1) {
        floors.push(process::cost(Command::new(&product).arg("--version"), false)?.time);
        let begun = Instant::now();
        let mut client = McpClient::start(&product, directory, scratch.path())?;
        ask(&mut client, &question())?;
        starts.push(begun.elapsed());
        let begun = Instant::now();
        ask(&mut client, &question())?;
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

fn ask(client: &mut McpClient, question: &Value) -> Result<()> {
    let answer = client.request("tools/call", question)?;
    ensure!(answer["isError"] != true, "no answer: {answer}");
    Ok(())
}

/// The memory of an idle server that built the first index itself.
fn held_after_first_index(product: &Path, directory: &Path, store: &Path) -> Result<u64> {
    let mut client = McpClient::start(product, directory, store)?;
    // Until the index exists, answers are errors that report progress.
    while client.request("tools/call", &question())?["isError"] == true {}
    std::thread::sleep(IDLE);
    Ok(resident(client.process()))
}

/// The memory of an idle server that answered some queries.
fn held(product: &Path, directory: &Path, store: &Path) -> Result<u64> {
    let mut client = McpClient::start(product, directory, store)?;
    let questions = [
        question(),
        json!({ "name": "overview", "arguments": { "about": "map" } }),
        json!({ "name": "overview", "arguments": { "about": "files" } }),
        json!({ "name": "grep", "arguments": { "pattern": "return" } }),
    ];
    for question in &questions {
        client.request("tools/call", question)?;
    }
    std::thread::sleep(IDLE);
    Ok(resident(client.process()))
}

/// The current memory of a process.
fn resident(process: u32) -> u64 {
    process::held(process, "VmRSS:")
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
