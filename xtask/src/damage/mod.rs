//! `xtask damage`: whatever happens to the files of a store, no answer is wrong and no manual repair is needed. After
//! each random fault, queries run in a new process or in an engine that had the files open; the answers are compared
//! with those of an index built from scratch.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

mod fault;

use crate::bench::{Scratch, copy};
use crate::random::Random;
use anyhow::{Context, Result, bail};
use fault::{Fault, Spares, damage_database};
use orient_engine::{Cancel, FullScan, NoProgress};
use orient_settings::Override;
use orient_tools::{OPERATIONS, OpenTree, Session, SessionOptions, TextWriter};
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// The databases to damage; the index in three cases of four.
const DATABASES: [&str; 4] = ["index.db", "index.db", "index.db", "cache.db"];
/// Number of symbols that each kind of query is about.
const SUBJECTS: usize = 2;

/// Options of `xtask damage`.
#[derive(clap::Args)]
pub(crate) struct Damage {
    /// The directory of sources whose index is damaged
    #[arg(default_value = "crates/text/src")]
    directory: PathBuf,
    /// Number of faults
    #[arg(long, default_value_t = 500)]
    count: usize,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only faults whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Runs queries with this `orient` instead of the code in this process
    #[arg(long, value_name = "PATH")]
    orient: Option<PathBuf>,
}

/// The results for one kind of fault.
#[derive(Default)]
struct FaultResults {
    faults: usize,
    /// Answers that reported damage.
    reported: usize,
    queries: usize,
    wrong: usize,
    failed: usize,
    panics: usize,
}

/// Damages, queries and compares.
pub(crate) fn run(options: &Damage) -> Result<()> {
    let bench = Trial::new(&options.directory, options.orient.clone())?;
    let results = bench.run(options.count, options.seed, &options.only)?;
    println!(
        "{:<18} {:>6} {:>8} {:>7} {:>6} {:>6} {:>6}",
        "fault", "faults", "reported", "queries", "wrong", "failed", "panics"
    );
    let mut bad = 0;
    for (kind, result) in &results {
        let FaultResults { faults, reported, queries, wrong, failed, panics } = result;
        println!("{kind:<18} {faults:>6} {reported:>8} {queries:>7} {wrong:>6} {failed:>6} {panics:>6}");
        bad += wrong + failed + panics;
    }
    if bad > 0 {
        bail!("{bad} queries failed or had a wrong answer");
    }
    Ok(())
}

/// A command line and its answer.
type ExpectedAnswer = (Vec<String>, String);

struct Trial {
    _scratch: Scratch,
    root: PathBuf,
    store: PathBuf,
    /// The store while an engine has it open, with a log; and after it is closed.
    healthy: [PathBuf; 2],
    spares: Spares,
    expected: Vec<ExpectedAnswer>,
    orient: Option<PathBuf>,
}

impl Trial {
    fn new(directory: &Path, orient: Option<PathBuf>) -> Result<Self> {
        let scratch = Scratch::new("damage")?;
        let top = scratch.path().canonicalize()?;
        let (root, store) = (top.join("tree"), top.join("store"));
        fs::create_dir(&root)?;
        let files = copy(directory, &root)?;
        let mut files: Vec<PathBuf> = files.into_iter().filter(|file| file.extension().is_some()).collect();
        files.sort();
        let aside = |name: &str| top.join(name);
        let other = other(&files, &aside("other"))?;
        let host = host(&root, &store)?;
        host.engine().refresh(&orient_engine::RefreshOptions::default(), &NoProgress)?;
        // Like a server: the log is kept between changes.
        let held = host.engine().keep_open();
        let mut earlier = Vec::new();
        for (number, file) in files.iter().take(3).enumerate() {
            keep(&store, &aside(&format!("earlier-{number}")))?;
            earlier.push(aside(&format!("earlier-{number}")));
            let text = fs::read(file)?;
            let half = text.len() / 2;
            let line =
                text[half..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |at| half + at + 1);
            fs::write(file, &text[..line])?;
            host.engine().refresh(&orient_engine::RefreshOptions::default(), &NoProgress)?;
            if number == 0 {
                // Later generations have another database and a new log.
                host.engine().checkpoint();
            }
        }
        keep(&store, &aside("open"))?;
        drop((held, host));
        keep(&store, &aside("closed"))?;
        let healthy = [aside("open"), aside("closed")];
        let mut trial = Self {
            _scratch: scratch,
            root,
            store,
            healthy,
            spares: Spares { earlier, other },
            expected: Vec::new(),
            orient,
        };
        let fresh = aside("fresh");
        let subjects = trial.subjects(&fresh)?;
        for question in questions(&subjects) {
            let (answer, _) = trial.ask(&question, &fresh)?;
            trial.expected.push((question, answer));
        }
        trial.control()?;
        Ok(trial)
    }

    /// Symbols for the queries, spread over the tree, each with its file.
    fn subjects(&self, store: &Path) -> Result<Vec<(String, String)>> {
        let all = ["symbols", "--kind", "function", "--limit", "1000"].map(str::to_owned);
        let cancel = Cancel::default();
        let session = Session::open(setup(&self.root, store), &NoProgress, &cancel).map_err(plain)?;
        let reply = reply(&session, &all)?;
        let mut bytes = Vec::new();
        reply.json(&mut bytes)?;
        let value: serde_json::Value = serde_json::from_slice(&bytes)?;
        let found = value["data"]["symbols"].as_array().context("a list of symbols")?;
        let handles: Vec<&str> = found.iter().filter_map(|symbol| symbol["handle"].as_str()).collect();
        let step = (handles.len() / SUBJECTS).max(1);
        let split =
            |handle: &str| handle.split_once('#').map(|(file, _)| (handle.to_owned(), file.to_owned()));
        Ok(handles.iter().step_by(step).take(SUBJECTS).filter_map(|handle| split(handle)).collect())
    }

    /// An intact store is not reported as damaged, even after it was copied.
    fn control(&self) -> Result<()> {
        for state in &self.healthy {
            keep(state, &self.store)?;
            for (question, expected) in &self.expected {
                let (answer, reported) = self.ask(question, &self.store)?;
                if answer != *expected || reported {
                    bail!("{question:?} in an intact store: {answer}\nexpected: {expected}");
                }
            }
        }
        Ok(())
    }

    fn run(&self, count: usize, seed: u64, only: &str) -> Result<BTreeMap<String, FaultResults>> {
        let mut random = Random(seed);
        let mut results: BTreeMap<String, FaultResults> = BTreeMap::new();
        let faults: Vec<Fault> =
            Fault::ALL.into_iter().filter(|fault| format!("{fault:?}").contains(only)).collect();
        for number in 0..count {
            let fault = *faults.get(number % faults.len().max(1)).context("a fault of that name")?;
            let result = results.entry(format!("{fault:?}")).or_default();
            result.faults += 1;
            self.one(fault, &mut random, result)?;
        }
        Ok(results)
    }

    fn one(&self, fault: Fault, random: &mut Random, result: &mut FaultResults) -> Result<()> {
        keep(&self.healthy[random.below(2)], &self.store)?;
        let database = DATABASES[random.below(DATABASES.len())];
        let open = random.below(2) == 0;
        let mut kept = None;
        if open {
            let host = host(&self.root, &self.store)?;
            let held = (random.below(2) == 0).then(|| host.engine().keep_open());
            for (question, _) in self.expected.iter().step_by(1 + random.below(3)) {
                Self::ask_host(question, &host)?;
            }
            kept = Some((host, held));
        }
        let what = damage_database(fault, &self.store, database, &self.spares, random)?;
        let what = format!("{what}{}", if open { ", while it is open" } else { "" });
        let first = random.below(self.expected.len());
        let mut reported = false;
        for at in 0..self.expected.len() {
            let (question, expected) = &self.expected[(first + at) % self.expected.len()];
            result.queries += 1;
            let answer = catch_unwind(AssertUnwindSafe(|| match &kept {
                Some((host, _)) => Self::ask_host(question, host),
                None => self.ask(question, &self.store),
            }));
            match answer {
                Err(_) => {
                    result.panics += 1;
                    println!("{what}: {question:?} panicked");
                }
                Ok(Err(error)) => {
                    result.failed += 1;
                    println!("{what}: {question:?}: {error:#}");
                }
                Ok(Ok((answer, said))) => {
                    reported |= said;
                    if answer != *expected {
                        result.wrong += 1;
                        println!("{what}: {question:?}:\n{answer}\ninstead of\n{expected}");
                    }
                }
            }
        }
        result.reported += usize::from(reported);
        Ok(())
    }

    /// The answer of a command, and whether it reports damage.
    fn ask(&self, question: &[String], store: &Path) -> Result<Answer> {
        if let Some(orient) = &self.orient {
            let mut command = Command::new(orient);
            command.args(question).arg("--root").arg(&self.root).arg("--store").arg(store);
            let output = command.output()?;
            let remarks = String::from_utf8_lossy(&output.stderr).into_owned();
            if output.status.code().is_none_or(|code| code > 1) {
                bail!("{}: {remarks}", output.status);
            }
            return Ok((shown(&String::from_utf8_lossy(&output.stdout)), remarks.contains("damaged")));
        }
        let cancel = Cancel::default();
        let session = Session::open(setup(&self.root, store), &NoProgress, &cancel).map_err(plain)?;
        answer(&session, question)
    }

    /// The same for an open engine.
    fn ask_host(question: &[String], host: &OpenTree) -> Result<Answer> {
        let cancel = Cancel::default();
        answer(&Session::for_tree(host, &NoProgress, &cancel), question)
    }
}

/// An answer, and whether it reports damage.
type Answer = (String, bool);

fn reply(session: &Session<'_>, question: &[String]) -> Result<Box<dyn orient_tools::Reply>> {
    let tool = OPERATIONS.iter().find(|tool| tool.name == question[0]).context("an operation")?;
    let matches = tool.command().try_get_matches_from(question)?;
    tool.run(session, &matches).map_err(plain)
}

fn answer(session: &Session<'_>, question: &[String]) -> Result<Answer> {
    let reply = reply(session, question)?;
    let mut text = String::new();
    reply.text(&mut TextWriter::new(&mut text))?;
    Ok((shown(&text), reply.metadata().notes.iter().any(|note| note.text.contains("damaged"))))
}

/// The lines that depend only on the files.
fn shown(text: &str) -> String {
    let own = |line: &&str| !["store ", "size ", "generation "].iter().any(|name| line.starts_with(name));
    text.lines().filter(own).collect::<Vec<_>>().join("\n")
}

#[expect(clippy::needless_pass_by_value, reason = "the form `map_err` asks for")]
fn plain(error: orient_tools::ToolError) -> anyhow::Error {
    anyhow::anyhow!("{error} ({})", error.help())
}

fn questions(subjects: &[(String, String)]) -> Vec<Vec<String>> {
    let mut questions = vec![vec!["status".to_owned()], vec!["files".to_owned()]];
    for (handle, file) in subjects {
        let name = handle.rsplit(['#', '.']).next().unwrap_or(handle).to_owned();
        let words = name.replace('_', " ");
        for question in [
            ["symbols", &name],
            ["search", &words],
            ["grep", &name],
            ["callers", handle],
            ["references", handle],
            ["outline", file],
            ["deps", file],
        ] {
            questions.push(question.map(str::to_owned).to_vec());
        }
    }
    questions
}

fn setup(root: &Path, store: &Path) -> SessionOptions {
    let value = store.display().to_string();
    let overrides = vec![Override { key: "store.dir".into(), value, flag: "--store".into() }];
    SessionOptions { start: root.to_owned(), directory: root.to_owned(), overrides, force: 0, refresh: true }
}

fn host(root: &Path, store: &Path) -> Result<OpenTree> {
    OpenTree::open(setup(root, store), |_, _| Arc::new(FullScan)).map_err(plain)
}

/// The store of another repository, with a log.
fn other(files: &[PathBuf], top: &Path) -> Result<PathBuf> {
    let (root, store) = (top.join("tree"), top.join("store"));
    fs::create_dir_all(&root)?;
    for file in files.iter().step_by(2) {
        fs::copy(file, root.join(file.file_name().context("a name")?))?;
    }
    let host = host(&root.canonicalize()?, &store)?;
    host.engine().refresh(&orient_engine::RefreshOptions::default(), &NoProgress)?;
    let _held = host.engine().keep_open();
    fs::write(root.join("more.py"), "def more(): pass\n")?;
    host.engine().refresh(&orient_engine::RefreshOptions::default(), &NoProgress)?;
    let kept = top.join("kept");
    keep(&store, &kept)?;
    Ok(kept)
}

/// Replaces a directory by a copy of another.
fn keep(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    copy_all(from, to)
}

fn copy_all(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_all(&entry.path(), &target)?;
        } else if entry.file_type()?.is_file() {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// The first file of a name in a store.
pub(crate) fn find(store: &Path, name: &str) -> Result<PathBuf> {
    fn within(directory: &Path, name: &str) -> Option<PathBuf> {
        let mut directories = Vec::new();
        for entry in fs::read_dir(directory).ok()?.flatten() {
            if entry.file_name() == *name {
                return Some(entry.path());
            }
            if entry.path().is_dir() {
                directories.push(entry.path());
            }
        }
        directories.sort();
        directories.iter().find_map(|directory| within(directory, name))
    }
    within(store, name).with_context(|| format!("no {name} in {}", store.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_fault_gives_a_wrong_answer_or_needs_a_repair() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/damage");
        let trial = Trial::new(&directory, None).expect("an intact store answers");
        let results = trial.run(26, 1, "").expect("all faults can be made");
        for (kind, result) in results {
            assert_eq!((result.wrong, result.failed, result.panics), (0, 0, 0), "{kind}");
        }
    }
}
