//! `bench live`: a watched tree. Measures the time from a save, and from a branch switch of thousands of files, to a
//! correct answer.
//!
//! Compares the watcher with a full scan, alternately, in one process, on copies of the same tree. An answer is
//! correct once the index has the new size of the file; in the end the index must equal one built from scratch.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use super::fresh::{copy, median};
use super::process::Scratch;
use crate::report::count;
use crate::workspace;
use anyhow::{Context, Result, bail};
use orient_engine::{Engine, Freshness, FullScan, NoProgress, OpenOptions, RefreshDepth, RefreshOptions};
use orient_history::History;
use orient_live::{WatchOptions, Watcher};
use orient_model::{RepoPath, Symbol};
use orient_settings::Settings;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A realistic minimum time between two saves; also lets the watcher settle.
const BETWEEN: Duration = Duration::from_millis(400);

/// The queries after a branch switch: callers, with and without waiting for resolution.
const GRAPH: [(&str, RefreshDepth); 1] = [("who calls what", RefreshDepth::Graph)];
const FACTS_FIRST: [(&str, RefreshDepth); 2] =
    [("what is in files", RefreshDepth::Facts), ("who calls what, then", RefreshDepth::Graph)];

/// Measures and prints the time to a correct answer.
pub(super) fn run(directory: &Path, rounds: usize, switched: usize) -> Result<()> {
    let scratch = Scratch::new("live")?;
    let (tree, store) = (scratch.path().join("tree"), scratch.path().join("store"));
    std::fs::create_dir(&tree)?;
    let root = tree.canonicalize()?;
    let files = copy(directory, &root)?;
    let engine = Arc::new(open(&root, &store)?);
    engine.refresh(&RefreshOptions::default(), &NoProgress)?;
    let live = settled(&engine, WatchOptions::default())?;
    let bench = LiveBench { engine, live, root, pairs: pairs(&files) };
    let rounds = rounds.max(1);
    println!("{}: {} files, {rounds} rounds", directory.display(), count(files.len() as u64));
    for (name, by_sweep) in [("watched", false), ("sweep", true)] {
        let mut idle = bench.idle(rounds, by_sweep)?;
        say(&format!("{name}: nothing changed"), &mut idle);
        let mut line = bench.saves(rounds, by_sweep, |text, _| [text, b"\n"].concat())?;
        say(&format!("{name}: a line saved"), &mut line);
        let mut other = bench.saves(rounds, by_sweep, |text, other| [text, b"\n", other].concat())?;
        say(&format!("{name}: other definitions saved"), &mut other);
    }
    let name = format!("watched: a switch of {} files", count(switched as u64));
    let there = bench.branch(switched, |bench, file, _| bench.with_one_more(file, "Again"))?;
    let back =
        there.iter().map(|(file, _)| Ok((file.clone(), std::fs::read(file)?))).collect::<Result<_>>()?;
    for (what, branch) in [("there", &there), ("back", &back), ("there again", &there)] {
        bench.say_switch(&format!("{name}, {what}"), branch, &GRAPH)?;
    }
    bench.say_switch(&format!("{name}, back again"), &back, &FACTS_FIRST)?;
    let whole = bench.branch(switched, |_, file, other| {
        Ok([std::fs::read(file)?, b"\n".to_vec(), std::fs::read(other)?].concat())
    })?;
    bench.say_switch(&format!("{name}, each doubled"), &whole, &GRAPH)?;
    bench.equals_one_built_from_scratch(&scratch.path().join("rebuilt"))?;
    for (file, text) in &back {
        std::fs::write(file, text)?;
    }
    bench.catch_up(false, RefreshDepth::Graph)?;
    bench.switch_by_git(&name, switched, scratch.path())
}

/// Prints a line immediately: a run takes minutes.
fn say(name: &str, times: &mut [Duration]) {
    let millis = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1000.0);
    let middle = median(times);
    let worst = times.last().copied().unwrap_or_default();
    println!("{name:<64} median {:>10}, worst {:>10}", millis(middle), millis(worst));
}

/// Opens an engine for any directory, with its index in a separate store.
pub(crate) fn open(root: &Path, store: &Path) -> Result<Engine> {
    let options = OpenOptions { force: 2, store: Some(store.to_owned()) };
    Ok(Engine::open(root, Settings::default(), &options)?)
}

fn settled(engine: &Arc<Engine>, options: WatchOptions) -> Result<Watcher> {
    let live = Watcher::start(engine, options);
    let begun = Instant::now();
    while !live.is_synced() {
        if let Some(why) = live.unwatched() {
            bail!("the tree cannot be watched: {why}");
        }
        if begun.elapsed() > Duration::from_mins(5) {
            bail!("the watcher does not settle");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    println!("watching after {:.0} ms", begun.elapsed().as_secs_f64() * 1000.0);
    Ok(live)
}

fn commit(root: &Path, message: &str) -> Result<()> {
    git(root, &["add", "-A", "-f"])?;
    git(root, &["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "-m", message])
}

fn git(root: &Path, args: &[&str]) -> Result<()> {
    let mut git = Command::new("git");
    git.args(["-c", "gc.auto=0", "-c", "core.autocrlf=false"]).args(args).current_dir(root);
    workspace::output(&mut git).map(drop)
}

/// Text files, each with another one of the same kind.
fn pairs(files: &[PathBuf]) -> Vec<(PathBuf, PathBuf)> {
    let mut last: BTreeMap<_, &PathBuf> = BTreeMap::new();
    let mut pairs = Vec::new();
    for file in files {
        let small = file.metadata().is_ok_and(|metadata| metadata.len() < 20_000);
        if let (true, Some(kind)) = (small, file.extension())
            && let Some(other) = last.insert(kind.to_owned(), file)
        {
            pairs.push((file.clone(), other.clone()));
        }
    }
    pairs
}

/// Files with their content after a switch.
type Branch = Vec<(PathBuf, Vec<u8>)>;

struct LiveBench {
    engine: Arc<Engine>,
    live: Watcher,
    root: PathBuf,
    pairs: Vec<(PathBuf, PathBuf)>,
}

impl LiveBench {
    fn catch_up(&self, by_sweep: bool, depth: RefreshDepth) -> Result<()> {
        let freshness: &dyn Freshness = if by_sweep { &FullScan } else { &self.live };
        let options = RefreshOptions { depth, ..RefreshOptions::default() };
        let refresh = freshness.catch_up(&self.engine, &options, &NoProgress)?;
        if !refresh.pending.is_empty() {
            bail!("{} files are pending although there was all the time", refresh.pending.len());
        }
        Ok(())
    }

    fn idle(&self, rounds: usize, by_sweep: bool) -> Result<Vec<Duration>> {
        std::thread::sleep(BETWEEN * 10);
        let mut times = Vec::new();
        for _ in 0..rounds {
            let begun = Instant::now();
            self.catch_up(by_sweep, RefreshDepth::Graph)?;
            times.push(begun.elapsed());
        }
        Ok(times)
    }

    /// Saves files spread over the tree, and queries immediately.
    fn saves(
        &self,
        rounds: usize,
        by_sweep: bool,
        edit: impl Fn(&[u8], &[u8]) -> Vec<u8>,
    ) -> Result<Vec<Duration>> {
        let mut times = Vec::new();
        for round in 0..rounds {
            let (file, other) = &self.pairs[(round * self.pairs.len()) / rounds];
            let text = edit(&std::fs::read(file)?, &std::fs::read(other)?);
            let begun = Instant::now();
            std::fs::write(file, &text)?;
            self.catch_up(by_sweep, RefreshDepth::Graph)?;
            self.has(file, text.len() as u64)?;
            times.push(begun.elapsed());
            std::thread::sleep(BETWEEN);
        }
        Ok(times)
    }

    /// Files spread over the tree, each with its content after `change`, and another file of its kind.
    fn branch(
        &self,
        files: usize,
        change: impl Fn(&Self, &Path, &Path) -> Result<Vec<u8>>,
    ) -> Result<Branch> {
        let step = (self.pairs.len() / files.max(1)).max(1);
        let some = self.pairs.iter().step_by(step).take(files);
        some.map(|(file, other)| Ok((file.clone(), change(self, file, other)?))).collect()
    }

    /// The text of a file with a copy of its first function appended under another name.
    fn with_one_more(&self, file: &Path, suffix: &str) -> Result<Vec<u8>> {
        let path: RepoPath = orient_walk::from_native(&self.root, file).context("a file of the tree")?;
        let (text, snapshot) = (std::fs::read(file)?, self.engine.snapshot()?);
        let row = snapshot.file(&path)?.context("the index has the file")?;
        let outline = snapshot.outline(row)?.outline;
        let with_body = |symbol: &&Symbol| symbol.kind.is_callable() && symbol.body.is_some();
        let Some(first) = outline.symbols.iter().find(with_body) else {
            return Ok([&text, "\n".as_bytes()].concat());
        };
        let line = |at: usize| text[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let (start, end) = (line(first.span.start as usize), first.span.end as usize);
        let named = first.name_span.end as usize;
        Ok([&text[..end], b"\n", &text[start..named], suffix.as_bytes(), &text[named..]].concat())
    }

    /// Rewrites many files like a branch switch, and queries repeatedly as soon as that is done.
    fn say_switch(&self, name: &str, branch: &Branch, questions: &[(&str, RefreshDepth)]) -> Result<()> {
        for (file, text) in branch {
            std::fs::write(file, text)?;
        }
        self.say_caught_up(name, branch, questions)
    }

    /// Queries repeatedly; each answer must reflect the files of a branch.
    fn say_caught_up(&self, name: &str, branch: &Branch, questions: &[(&str, RefreshDepth)]) -> Result<()> {
        let mut begun = Instant::now();
        for &(what, depth) in questions {
            self.catch_up(false, depth)?;
            let time = begun.elapsed();
            for (file, text) in branch {
                self.has(file, text.len() as u64)?;
            }
            say(&format!("{name}: {what}"), &mut [time]);
            // Work that was done meanwhile is not part of the next answer.
            begun = Instant::now().checked_sub(time).unwrap_or(begun);
        }
        std::thread::sleep(BETWEEN * 10);
        Ok(())
    }

    /// Checks out a new branch with git after it was prefetched, and queries as soon as git is done.
    fn switch_by_git(self, name: &str, switched: usize, scratch: &Path) -> Result<()> {
        let branch = self.branch(switched, |bench, file, _| bench.with_one_more(file, "OnAnotherBranch"))?;
        // Two watchers would interfere.
        let Self { root, live, .. } = self;
        drop(live);
        git(&root, &["init", "-q", "-b", "main"])?;
        commit(&root, "main")?;
        git(&root, &["checkout", "-q", "-b", "other"])?;
        for (file, text) in &branch {
            std::fs::write(file, text)?;
        }
        commit(&root, "other")?;
        git(&root, &["checkout", "-q", "main"])?;
        let tips = History::open(&root).and_then(|mut history| history.tips())?;
        let other = tips.first().context("a branch beside the one that is checked out")?;

        let engine = Arc::new(open(&root, &scratch.join("store-of-branches"))?);
        engine.refresh(&RefreshOptions::default(), &NoProgress)?;
        let live = settled(&engine, WatchOptions { prefetch_branches: 1, ..WatchOptions::default() })?;
        let begun = Instant::now();
        while !engine.prefetcher().is_some_and(|mut ahead| ahead.has_commit(other.id())) {
            if begun.elapsed() > Duration::from_mins(5) {
                bail!("the branch is not read ahead");
            }
            std::thread::sleep(BETWEEN);
        }
        let bench = Self { engine, live, root, pairs: Vec::new() };
        let size: usize = branch.iter().map(|(_, text)| text.len()).sum();
        let name =
            format!("{name} ({:.1} MB) by git, read ahead", Duration::from_micros(size as u64).as_secs_f64());
        git(&bench.root, &["checkout", "-q", "other"])?;
        bench.say_caught_up(&name, &branch, &GRAPH)?;
        bench.equals_one_built_from_scratch(&scratch.join("rebuilt-of-branches"))
    }

    /// Fails unless the index has a file with this size.
    fn has(&self, file: &Path, size: u64) -> Result<()> {
        let path: RepoPath = orient_walk::from_native(&self.root, file).context("a file of the tree")?;
        let snapshot = self.engine.snapshot()?;
        let row = snapshot.file(&path)?.context("the index has the file")?;
        if row.bytes != size {
            bail!("{}: {} bytes in the index, {size} on disk", path.display(), row.bytes);
        }
        Ok(())
    }

    fn equals_one_built_from_scratch(&self, store: &Path) -> Result<()> {
        let rebuilt = open(&self.root, store)?;
        rebuilt.refresh(&RefreshOptions::default(), &NoProgress)?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        self.engine.snapshot()?.dump(&mut ours)?;
        rebuilt.snapshot()?.dump(&mut theirs)?;
        if ours != theirs {
            let (ours, theirs) = (String::from_utf8_lossy(&ours), String::from_utf8_lossy(&theirs));
            let first = ours.lines().zip(theirs.lines()).find(|(ours, theirs)| ours != theirs);
            bail!("the index differs from one built from scratch: {first:?}");
        }
        println!("the index equals one built from scratch");
        Ok(())
    }
}
