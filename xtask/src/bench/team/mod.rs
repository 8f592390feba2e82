//! `bench team`: a running team server with many clients. Prints latencies by kind of question, and the processor time of each process.
//!
//! The questions are about the repositories that the token may read: their own names, words of questions about code, patterns. No question is
//! asked for the sake of its answer, so that a cache of answers would show as what it is.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

mod questions;

use super::process;
use crate::http_connection::HttpConnection;
use crate::random::Random;
use crate::report::{count, table};
use anyhow::{Context, Result, bail, ensure};
use questions::{KINDS, Kind, Questions};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The server, the clients, and what else is measured.
pub(super) struct Options {
    /// The address of a node, without a path.
    pub(super) url: String,
    /// The text of the token.
    pub(super) token: String,
    pub(super) clients: usize,
    /// Seconds for each kind of question.
    pub(super) seconds: u64,
    /// Seconds before them that do not count.
    pub(super) warm_up: u64,
    /// Mean think time of a client between two questions, in milliseconds.
    pub(super) think: u64,
    /// The kinds of questions to ask; all if empty.
    pub(super) only: Vec<String>,
    /// Processes whose processor time is printed, with those below them.
    pub(super) processes: Vec<u32>,
}

/// A connection of a client.
pub(super) struct Client {
    connection: HttpConnection,
    authorization: String,
}

impl Client {
    fn new(options: &Options) -> Result<Self> {
        let (connection, _) = HttpConnection::open(&options.url)?;
        Ok(Self { connection, authorization: format!("Bearer {}", options.token) })
    }

    /// The names of the repositories that the token may read.
    fn repositories(&mut self) -> Result<Vec<String>> {
        let reply =
            self.connection.get("/v1/repositories", [("Authorization", self.authorization.as_str())])?;
        ensure!(reply.status == 200, "status {}: {}", reply.status, String::from_utf8_lossy(&reply.body));
        let listed: Value = serde_json::from_slice(&reply.body)?;
        let lines = listed["repositories"].as_array().context("a list of repositories")?;
        let mut names: Vec<String> =
            lines.iter().filter_map(|line| line["name"].as_str().map(str::to_owned)).collect();
        names.dedup();
        Ok(names)
    }

    /// Asks a question; returns the status and the response: data, or text as people and agents read it.
    fn ask(
        &mut self,
        operation: &str,
        repository: Option<&str>,
        arguments: &Value,
        text: bool,
    ) -> Result<(u16, Vec<u8>)> {
        let question =
            json!({ "operation": operation, "repository": repository, "arguments": arguments, "text": text });
        let authorization = [("Authorization", self.authorization.as_str())];
        let reply = self.connection.post("/v1/call", authorization, &question.to_string())?;
        Ok((reply.status, reply.body))
    }
}

/// What the clients observed of one kind of question.
#[derive(Default)]
struct Observations {
    times: Vec<Duration>,
    /// Questions about what does not exist: their answer is an error.
    missed: usize,
    bytes: usize,
    errors: Vec<String>,
    /// The processor time of each process.
    spent: Vec<Duration>,
}

/// Runs the benchmark.
pub(super) fn run(options: &Options) -> Result<()> {
    let mut client = Client::new(options)?;
    let names = client.repositories()?;
    ensure!(!names.is_empty(), "the token may not read any repository");
    let questions = Questions::new(&mut client, names)?;
    println!(
        "{} repositories, {} names; {} clients, {} s for each kind, think time {} ms",
        count(questions.repositories.len() as u64),
        count(questions.names() as u64),
        options.clients,
        options.seconds,
        options.think
    );
    let mut rows = Vec::new();
    let mut failures = Vec::new();
    for kind in &KINDS {
        if !options.only.is_empty() && !options.only.iter().any(|only| kind.label.contains(only.as_str())) {
            continue;
        }
        let mut seen = measure(options, &questions, kind)?;
        let spent = std::mem::take(&mut seen.spent);
        rows.push(row(kind, &mut seen, options, &spent));
        failures.append(&mut seen.errors);
    }
    let mut heading = vec!["question", "answers/s", "missed", "median", "p95", "p99", "max", "KB"];
    let processes: Vec<String> = options.processes.iter().map(|id| format!("cpu {id}")).collect();
    heading.extend(processes.iter().map(String::as_str));
    table(&heading, &rows);
    match failures.first() {
        Some(first) => bail!("{} questions failed, first: {first}", failures.len()),
        None => Ok(()),
    }
}

/// The processor time of a process and of all that it has started and that still run.
fn time_below(id: u32) -> Duration {
    let tasks = format!("/proc/{id}/task");
    let threads = std::fs::read_dir(tasks).into_iter().flatten().flatten();
    let children = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    let children: Vec<u32> = children
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect();
    process::cpu_time(id) + children.into_iter().map(time_below).sum::<Duration>()
}

fn measure(options: &Options, questions: &Questions, kind: &Kind) -> Result<Observations> {
    let is_over = AtomicBool::new(false);
    let counted_from = Instant::now() + Duration::from_secs(options.warm_up);
    std::thread::scope(|scope| {
        let mut clients = Vec::new();
        for number in 0..options.clients {
            let mut client = Client::new(options)?;
            let is_over = &is_over;
            clients.push(scope.spawn(move || {
                let mut seen = Observations::default();
                let mut random = Random(number as u64 * 7919 + kind.label.len() as u64);
                while !is_over.load(Ordering::Relaxed) {
                    if options.think > 0 {
                        // Uniform between nothing and twice the mean.
                        let pause = random.below(2 * usize::try_from(options.think).unwrap_or(usize::MAX));
                        std::thread::sleep(Duration::from_millis(pause as u64));
                    }
                    let (repository, arguments) = (kind.ask)(questions, &mut random);
                    let begun = Instant::now();
                    match client.ask(kind.operation, repository, &arguments, true) {
                        Ok((200 | 404, _)) if begun < counted_from => {}
                        Ok((status @ (200 | 404), body)) => {
                            seen.times.push(begun.elapsed());
                            seen.bytes += body.len();
                            seen.missed += usize::from(status == 404);
                        }
                        Ok((status, body)) => {
                            let body = String::from_utf8_lossy(&body);
                            seen.errors.push(format!("{} {arguments}: {status} {body}", kind.label));
                        }
                        Err(error) => {
                            seen.errors.push(format!("{} {arguments}: {error}", kind.label));
                            break;
                        }
                    }
                }
                seen
            }));
        }
        std::thread::sleep(Duration::from_secs(options.warm_up));
        let before: Vec<Duration> = options.processes.iter().map(|id| time_below(*id)).collect();
        std::thread::sleep(Duration::from_secs(options.seconds));
        let after = options.processes.iter().map(|id| time_below(*id));
        let spent = after.zip(before).map(|(after, before)| after.saturating_sub(before)).collect();
        is_over.store(true, Ordering::Relaxed);
        let mut all = Observations { spent, ..Observations::default() };
        for client in clients {
            let mut seen = client.join().ok().context("a client does not panic")?;
            all.times.append(&mut seen.times);
            all.errors.append(&mut seen.errors);
            all.missed += seen.missed;
            all.bytes += seen.bytes;
        }
        Ok(all)
    })
}

fn row(kind: &Kind, seen: &mut Observations, options: &Options, spent: &[Duration]) -> Vec<String> {
    seen.times.sort_unstable();
    let answers = u32::try_from(seen.times.len().max(1)).unwrap_or(u32::MAX);
    let share = |percent: usize| {
        let at = seen.times.len().saturating_sub(1) * percent / 100;
        format!("{:.1?}", seen.times.get(at).copied().unwrap_or_default())
    };
    let per_second = f64::from(answers) / Duration::from_secs(options.seconds.max(1)).as_secs_f64();
    let mut cells = vec![kind.label.to_owned(), format!("{per_second:.1}"), count(seen.missed as u64)];
    cells.extend([50, 95, 99, 100].map(share));
    cells.push(format!("{:.1}", f64::from((seen.bytes / answers as usize) as u32) / 1024.0));
    cells.extend(spent.iter().map(|time| format!("{:.2?}", *time / answers)));
    cells
}
