//! `bench load`: `orient serve` with many concurrent clients while files change. Compares every answer with that of
//! an index built from scratch.
//!
//! The tree moves through a few states, forwards and backwards; the correct answers in each are computed first. An
//! answer during which nothing changed must be the one of that state. An answer that overlaps a change must be the
//! one of a state it can have seen, unless files were partially written at the time.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

mod questions;
mod states;

use super::floor::index_command;
use super::fresh::copy;
use super::process::{self, Scratch, mebibytes};
use crate::corpus::default_threads;
use crate::report::{count, table};
use crate::serve_process::{HttpSession, ServeProcess};
use anyhow::{Context, Result, bail, ensure};
use questions::{KINDS, TOOLS, Truth};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Number of symbols in the queries.
const SYMBOLS: usize = 120;
/// Memory is flat if it grows by less than one part in this many from the second quarter of the time to the last.
const FLAT: u64 = 20;
/// Maximum number of wrong answers and errors that are printed.
const SHOWN: usize = 5;

/// Options of `bench load`.
pub(super) struct Options {
    pub(super) seconds: u64,
    pub(super) clients: usize,
    /// Milliseconds between two changes.
    pub(super) every: u64,
    /// Think time of a client between two queries, in milliseconds.
    pub(super) think: u64,
    /// Limit on the 95th percentile of symbol and caller queries, in milliseconds.
    pub(super) at_most: Option<u64>,
}

/// Runs the load test and prints the results.
pub(super) fn run(directory: &Path, options: &Options) -> Result<()> {
    let product = process::product()?;
    let scratch = Scratch::new("load")?;
    let truth = Truth::new(&product, directory, SYMBOLS, scratch.path())?;
    let (tree, store) = (scratch.path().join("tree"), scratch.path().join("store"));
    let files = copy(directory, &tree)?.len();
    let tree = tree.canonicalize()?;
    process::cost(&mut index_command(&product, &tree, &store, default_threads()), false)?;
    println!(
        "{}: {} files; {} questions, {} of them with other answers in other states; {} clients, {} s, a change every {} ms",
        directory.display(),
        count(files as u64),
        count(truth.questions.len() as u64),
        truth.moving(),
        options.clients,
        options.seconds,
        options.every
    );
    let server = ServeProcess::start(&product, &tree, &store, &TOOLS)?;
    let load = Load {
        truth: &truth,
        server: &server,
        tree: &tree,
        aside: &scratch.path().join("aside"),
        moment: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
    };
    let times = || [server.process(), std::process::id()].map(process::cpu_time);
    let before = times();
    let (seen, memory) = load.run(options)?;
    let after = times();
    let moments = load.moment.load(Ordering::Relaxed) / 2;
    // One more query: the server refreshes before it answers, and the index is then compared.
    truth.questions[0].ask(&mut server.session()?)?;
    drop(server);
    let p95 = seen.print(options, moments);
    let [worked, ours] = [0, 1].map(|who: usize| after[who].saturating_sub(before[who]).as_secs_f64());
    let answers = u32::try_from(seen.answers().max(1)).unwrap_or(u32::MAX);
    let each = |seconds: f64| seconds * 1000.0 / f64::from(answers);
    println!(
        "processor time: the server {worked:.1} s, {:.2} ms an answer, catching up with changes included; the clients {ours:.1} s, \
         {:.2} ms an answer",
        each(worked),
        each(ours)
    );
    print_memory(&memory);
    equals_one_built_from_scratch(&product, &tree, &store, scratch.path())?;
    ensure!(seen.errors.is_empty() && seen.wrong.is_empty(), "not every answer was right");
    match options.at_most {
        Some(most) if p95 > Duration::from_millis(most) => {
            bail!("95 of 100 answers took longer than {most} ms")
        }
        _ => Ok(()),
    }
}

/// A running load test.
struct Load<'l> {
    truth: &'l Truth,
    server: &'l ServeProcess,
    tree: &'l Path,
    aside: &'l Path,
    /// Twice the step number, plus one while files are changing.
    moment: AtomicUsize,
    stop: AtomicBool,
}

/// The observations of all clients.
#[derive(Default)]
struct Observations {
    /// The latencies by kind of query.
    times: [Vec<Duration>; KINDS.len()],
    /// Answers that overlap no change and are correct.
    right: usize,
    /// Answers that overlap a change and are correct before or after it.
    overtaken: usize,
    /// Answers that overlap a change and match neither state: files were partially changed.
    between: usize,
    /// Answers that report a stale index.
    behind: usize,
    errors: Vec<String>,
    wrong: Vec<String>,
}

/// The memory of the server at a moment: resident, and without the mapped index.
#[derive(Clone, Copy)]
struct Memory {
    all: u64,
    own: u64,
}

impl Load<'_> {
    fn run(&self, options: &Options) -> Result<(Observations, Vec<Memory>)> {
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| self.write(Duration::from_millis(options.every)));
            let mut clients = Vec::new();
            for number in 0..options.clients {
                let session = self.server.session()?;
                let think = Duration::from_millis(options.think);
                clients.push(scope.spawn(move || self.ask(session, number, think)));
            }
            let mut memory = Vec::new();
            for _ in 0..options.seconds {
                std::thread::sleep(Duration::from_secs(1));
                let process = self.server.process();
                let (all, own) = (process::held(process, "VmRSS:"), process::held(process, "RssAnon:"));
                memory.push(Memory { all, own });
            }
            self.stop.store(true, Ordering::Relaxed);
            let mut seen = Observations::default();
            for client in clients {
                seen.add(client.join().ok().context("a client does not panic")?);
            }
            writer.join().ok().context("the writer does not panic")??;
            Ok((seen, memory))
        })
    }

    fn write(&self, every: Duration) -> Result<()> {
        for moment in 0.. {
            std::thread::sleep(every);
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            self.moment.store(2 * moment + 1, Ordering::SeqCst);
            self.truth.steps.go_on(self.tree, moment, self.aside)?;
            self.moment.store(2 * (moment + 1), Ordering::SeqCst);
        }
        Ok(())
    }

    fn ask(&self, mut session: HttpSession, number: usize, think: Duration) -> Observations {
        let mut seen = Observations::default();
        let questions = &self.truth.questions;
        // Clients start at different queries with different strides, so that they do not run in lockstep.
        let mut at = number * 7;
        while !self.stop.load(Ordering::Relaxed) {
            at = (at + 1 + number % 5) % questions.len();
            let before = self.moment.load(Ordering::SeqCst);
            let begun = Instant::now();
            let asked = questions[at].ask(&mut session);
            let time = begun.elapsed();
            let after = self.moment.load(Ordering::SeqCst);
            match asked {
                Ok(answer) => {
                    seen.times[questions[at].kind].push(time);
                    self.judge(&mut seen, at, &answer, (before, after));
                }
                Err(error) => {
                    seen.errors.push(format!("{}: {error:#}", questions[at].words()));
                    match self.server.session() {
                        Ok(other) => session = other,
                        Err(_) => return seen,
                    }
                }
            }
            std::thread::sleep(think);
        }
        seen
    }

    /// Compares an answer with those that can be correct, given when the query was sent and answered.
    fn judge(
        &self,
        seen: &mut Observations,
        at: usize,
        answer: &questions::Answer,
        (before, after): (usize, usize),
    ) {
        let right = |moment: usize| &self.truth.right[self.truth.steps.state_at(moment)][at];
        if answer.behind {
            seen.behind += 1;
        } else if before == after && before.is_multiple_of(2) {
            if answer == right(before / 2) {
                seen.right += 1;
            } else {
                let (asked, expected) = (self.truth.questions[at].words(), right(before / 2));
                seen.wrong.push(format!("moment {before}: {asked}\n{answer:?}\nnot\n{expected:?}"));
            }
        } else if (before / 2..=after.div_ceil(2)).any(|moment| answer == right(moment)) {
            seen.overtaken += 1;
        } else {
            seen.between += 1;
        }
    }
}

impl Observations {
    fn add(&mut self, other: Self) {
        for (times, more) in self.times.iter_mut().zip(other.times) {
            times.extend(more);
        }
        self.right += other.right;
        self.overtaken += other.overtaken;
        self.between += other.between;
        self.behind += other.behind;
        self.errors.extend(other.errors);
        self.wrong.extend(other.wrong);
    }

    fn answers(&self) -> usize {
        self.times.iter().map(Vec::len).sum()
    }

    /// Prints the observations. Returns the 95th percentile of symbol and caller queries.
    fn print(&self, options: &Options, moments: usize) -> Duration {
        let millis = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1000.0);
        let row = |name: &str, times: &[Duration]| {
            let mut times = times.to_vec();
            times.sort_unstable();
            let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or_default();
            let cells = [at(50), at(95), at(99), times.last().copied().unwrap_or_default()].map(millis);
            let counted = count(times.len() as u64);
            (at(95), [vec![name.to_owned(), counted], cells.to_vec()].concat())
        };
        let rows: Vec<Vec<String>> =
            KINDS.iter().zip(&self.times).map(|(kind, times)| row(kind, times).1).collect();
        table(&["", "answers", "p50", "p95", "p99", "worst"], &rows);
        let answers = self.answers();
        let rate = answers as u64 / options.seconds.max(1);
        println!(
            "{} answers, {} a second, over {moments} changes: {} checked and right, {} overtaken by a change and right, \
             {} between two states, {} said to be behind; {} errors, {} wrong",
            count(answers as u64),
            count(rate),
            count(self.right as u64),
            count(self.overtaken as u64),
            count(self.between as u64),
            count(self.behind as u64),
            self.errors.len(),
            self.wrong.len()
        );
        for text in self.errors.iter().take(SHOWN).chain(self.wrong.iter().take(SHOWN)) {
            println!("{text}");
        }
        row("", &[self.times[0].as_slice(), &self.times[1]].concat()).0
    }
}

/// Prints the memory after a second, in the middle and at the end, and whether it grows.
fn print_memory(memory: &[Memory]) {
    let places = [("start", 0), ("middle", memory.len() / 2), ("end", memory.len().saturating_sub(1))];
    let rows: Vec<Vec<String>> = places
        .iter()
        .filter_map(|(name, at)| Some((name, memory.get(*at)?)))
        .map(|(name, held)| vec![(*name).to_owned(), mebibytes(held.own), mebibytes(held.all)])
        .collect();
    table(&["memory", "of its own", "with what it sees of the index"], &rows);
    let mean = |part: &[Memory]| part.iter().map(|held| held.own).sum::<u64>() / part.len().max(1) as u64;
    let quarter = memory.len() / 4;
    let (second, last) = (mean(&memory[quarter..2 * quarter]), mean(&memory[memory.len() - quarter..]));
    let verdict = if last <= second + second / FLAT { "flat" } else { "growing" };
    let (second, last) = (mebibytes(second), mebibytes(last));
    println!("its own memory is {verdict}: {second} in the second quarter of the time, {last} in the last");
}

fn equals_one_built_from_scratch(product: &Path, tree: &Path, store: &Path, scratch: &Path) -> Result<()> {
    let rebuilt = scratch.join("rebuilt");
    process::cost(&mut index_command(product, tree, &rebuilt, default_threads()), false)?;
    let dump = |store: &Path| -> Result<String> {
        let mut command = Command::new(product);
        command.arg("dump").arg("--no-refresh").arg("--root").arg(tree).arg("--store").arg(store);
        Ok(process::cost(&mut command, false)?.printed)
    };
    ensure!(dump(store)? == dump(&rebuilt)?, "the index differs from one built from scratch");
    println!("the index equals one built from scratch");
    Ok(())
}
