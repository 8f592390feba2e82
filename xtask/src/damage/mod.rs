//! `xtask damage`: whatever happens to the files of a store, no answer is wrong and nobody has to repair anything. Faults are
//! drawn at random; after each, questions are asked of a command that starts anew or of an engine that had the files open,
//! and compared with the answers of an index built from nothing.
#![expect(clippy::print_stdout, reason = "a chore talks to the terminal")]

mod fault;

use crate::bench::{Scratch, copy};
use crate::draw::Draw;
use anyhow::{Context, Result, bail};
use fault::{Fault, Spares, inflict};
use orient_engine::{Cancel, FullScan, NoProgress};
use orient_settings::Override;
use orient_tools::{OPERATIONS, OpenTree, Session, SessionOptions, TextWriter};
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// The databases faults happen to; the index three times of four.
const DATABASES: [&str; 4] = ["index.db", "index.db", "index.db", "cache.db"];
/// Of how many symbols every kind of question is asked.
const SUBJECTS: usize = 2;

/// What to damage.
#[derive(clap::Args)]
pub(crate) struct Damage {
    /// The directory of sources whose index is damaged
    #[arg(default_value = "crates/text/src")]
    directory: PathBuf,
    /// How many faults
    #[arg(long, default_value_t = 500)]
    count: usize,
    /// Where drawing begins
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only faults whose name has this in it
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Asks this `orient` in place of the code in this process, where a command is asked
    #[arg(long, value_name = "PATH")]
    orient: Option<PathBuf>,
}

/// What came of the faults of one kind.
#[derive(Default)]
struct Tally {
    faults: usize,
    /// Answers that said the index was damaged.
    told: usize,
    questions: usize,
    wrong: usize,
    failed: usize,
    panics: usize,
}

/// Damages, asks and compares.
pub(crate) fn run(options: &Damage) -> Result<()> {
    let bench = Trial::new(&options.directory, options.orient.clone())?;
    let tallies = bench.run(options.count, options.seed, &options.only)?;
    println!(
        "{:<18} {:>6} {:>6} {:>9} {:>6} {:>6} {:>6}",
        "fault", "faults", "told", "questions", "wrong", "failed", "panics"
    );
    let mut bad = 0;
    for (kind, tally) in &tallies {
        let Tally { faults, told, questions, wrong, failed, panics } = tally;
        println!("{kind:<18} {faults:>6} {told:>6} {questions:>9} {wrong:>6} {failed:>6} {panics:>6}");
        bad += wrong + failed + panics;
    }
    if bad > 0 {
        bail!("{bad} questions were not answered, or not rightly");
    }
    Ok(())
}

/// A command line, and the answer.
type Asked = (Vec<String>, String);

struct Trial {
    _scratch: Scratch,
    root: PathBuf,
    store: PathBuf,
    /// The store as it is while an engine has it open, with a log; and after all have closed it.
    healthy: [PathBuf; 2],
    spares: Spares,
    expected: Vec<Asked>,
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
        // As a server does: the log is kept from change to change.
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
                // What comes later has another database, and a log that begins again.
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

    /// Symbols to ask about, spread over the tree, each with its file.
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

    /// A store that is whole is taken for what it is, also where it was copied.
    fn control(&self) -> Result<()> {
        for state in &self.healthy {
            keep(state, &self.store)?;
            for (question, expected) in &self.expected {
                let (answer, told) = self.ask(question, &self.store)?;
                if answer != *expected || told {
                    bail!("{question:?} of a store that is whole: {answer}\nexpected: {expected}");
                }
            }
        }
        Ok(())
    }

    fn run(&self, count: usize, seed: u64, only: &str) -> Result<BTreeMap<String, Tally>> {
        let mut draw = Draw(seed);
        let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
        let faults: Vec<Fault> =
            Fault::ALL.into_iter().filter(|fault| format!("{fault:?}").contains(only)).collect();
        for number in 0..count {
            let fault = *faults.get(number % faults.len().max(1)).context("a fault of that name")?;
            let tally = tallies.entry(format!("{fault:?}")).or_default();
            tally.faults += 1;
            self.one(fault, &mut draw, tally)?;
        }
        Ok(tallies)
    }

    fn one(&self, fault: Fault, draw: &mut Draw, tally: &mut Tally) -> Result<()> {
        keep(&self.healthy[draw.below(2)], &self.store)?;
        let database = DATABASES[draw.below(DATABASES.len())];
        let open = draw.below(2) == 0;
        let mut kept = None;
        if open {
            let host = host(&self.root, &self.store)?;
            let held = (draw.below(2) == 0).then(|| host.engine().keep_open());
            for (question, _) in self.expected.iter().step_by(1 + draw.below(3)) {
                Self::ask_host(question, &host)?;
            }
            kept = Some((host, held));
        }
        let what = inflict(fault, &self.store, database, &self.spares, draw)?;
        let what = format!("{what}{}", if open { ", while it is open" } else { "" });
        let first = draw.below(self.expected.len());
        let mut told = false;
        for at in 0..self.expected.len() {
            let (question, expected) = &self.expected[(first + at) % self.expected.len()];
            tally.questions += 1;
            let answer = catch_unwind(AssertUnwindSafe(|| match &kept {
                Some((host, _)) => Self::ask_host(question, host),
                None => self.ask(question, &self.store),
            }));
            match answer {
                Err(_) => {
                    tally.panics += 1;
                    println!("{what}: {question:?} panicked");
                }
                Ok(Err(error)) => {
                    tally.failed += 1;
                    println!("{what}: {question:?}: {error:#}");
                }
                Ok(Ok((answer, said))) => {
                    told |= said;
                    if answer != *expected {
                        tally.wrong += 1;
                        println!("{what}: {question:?}:\n{answer}\ninstead of\n{expected}");
                    }
                }
            }
        }
        tally.told += usize::from(told);
        Ok(())
    }

    /// The answer of a command, and whether it says that the index was damaged.
    fn ask(&self, question: &[String], store: &Path) -> Result<Asking> {
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

    /// The same of an engine that is open.
    fn ask_host(question: &[String], host: &OpenTree) -> Result<Asking> {
        let cancel = Cancel::default();
        answer(&Session::for_tree(host, &NoProgress, &cancel), question)
    }
}

/// An answer, and whether it says that the index was damaged.
type Asking = (String, bool);

fn reply(session: &Session<'_>, question: &[String]) -> Result<Box<dyn orient_tools::Reply>> {
    let tool = OPERATIONS.iter().find(|tool| tool.name == question[0]).context("an operation")?;
    let matches = tool.command().try_get_matches_from(question)?;
    tool.run(session, &matches).map_err(plain)
}

fn answer(session: &Session<'_>, question: &[String]) -> Result<Asking> {
    let reply = reply(session, question)?;
    let mut text = String::new();
    reply.text(&mut TextWriter::new(&mut text))?;
    Ok((shown(&text), reply.metadata().notes.iter().any(|note| note.text.contains("damaged"))))
}

/// The lines that depend on the files and on nothing else.
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

/// Puts a copy of a directory in the place of another.
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
        let trial = Trial::new(&directory, None).expect("a store that is whole answers");
        let tallies = trial.run(26, 1, "").expect("all faults can be made");
        for (kind, tally) in tallies {
            assert_eq!((tally.wrong, tally.failed, tally.panics), (0, 0, 0), "{kind}");
        }
    }
}
