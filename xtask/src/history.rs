//! Blame, path logs, the pickaxe and the history index against git itself on a repository: equal answers, and the time that both
//! take.
#![expect(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a subcommand prints shares to the terminal"
)]

use crate::bench::{Scratch, cpu_time, process_cost};
use crate::random::Random;
use anyhow::{Context, Result};
use orient_engine::{Engine, FileVersion, OpenOptions, SymbolDelta, SymbolVersion};
use orient_history::{History, Oid, short_id};
use orient_model::{RepoPath, SymbolKind};
use orient_settings::Settings;
use orient_timeline::{
    HistoryIndex, HistoryLimits, IndexStage, SymbolLog, index_history, path_log, version_beside,
};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How many versions of a file are compared.
const MAX_VERSIONS: usize = 50;

/// Compares history with git.
#[derive(clap::Args)]
pub(crate) struct HistoryCheck {
    /// A clone with its history
    directory: PathBuf,
    /// How many files are compared
    #[arg(long, value_name = "N", default_value_t = 100)]
    count: usize,
    /// The seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Only the history index: its cost, and that it answers as git's objects do
    #[arg(long)]
    index: bool,
}

/// Runs the comparison and prints every difference.
pub(crate) fn run(options: &HistoryCheck) -> Result<()> {
    let root = options.directory.as_path();
    let listing = git(root, &["ls-tree", "-r", "--name-only", "HEAD"])?.0;
    let mut paths: Vec<&str> = listing.lines().filter(|path| !path.starts_with('"')).collect();
    let mut random = Random(options.seed);
    for at in (1..paths.len()).rev() {
        paths.swap(at, random.below(at + 1));
    }
    paths.truncate(options.count);
    if !options.index {
        compare_blame(root, &paths)?;
        compare_logs(root, &paths)?;
        compare_pickaxe(root, &paths)?;
    }
    compare_index(root, &paths)
}

fn git(root: &Path, args: &[&str]) -> Result<(String, Duration)> {
    let start = Instant::now();
    let output = Command::new("git").arg("-C").arg(root).args(args).output()?;
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), start.elapsed()))
}

/// Indexes the history, and compares the logs of files and functions with those that git's objects give.
fn compare_index(root: &Path, paths: &[&str]) -> Result<()> {
    let scratch = Scratch::new("history")?;
    let open = |name: &str| {
        let options = OpenOptions { store: Some(scratch.path().join(name)), ..OpenOptions::default() };
        Engine::open(root, Settings::default(), &options)
    };
    let (engine, empty) = (open("store")?, open("empty")?);
    let limits = HistoryLimits { commits: usize::MAX, since: None };
    let mut history = History::open(root)?;
    let cpu = || cpu_time(std::process::id());
    let start = cpu();
    let mut before_symbols = None;
    let coverage = index_history(&engine, &mut history, limits, &mut |stage, _, _| {
        if stage == IndexStage::Symbols && before_symbols.is_none() {
            before_symbols = Some(cpu().saturating_sub(start));
        }
        ControlFlow::Continue(())
    })?;
    let ours = cpu().saturating_sub(start);
    let paths_only = before_symbols.unwrap_or(ours);
    let mut numstat = Command::new("git");
    numstat.arg("-C").arg(root).args(["log", "--all", "--numstat", "--format=%H"]);
    let gits = process_cost(&mut numstat, true)?.cpu;
    let ratio = |time: Duration| time.as_secs_f64() / gits.as_secs_f64().max(1e-3);
    let bytes = std::fs::metadata(engine.store_paths().cache()).map_or(0, |file| file.len());
    println!(
        "index: {} commits, {:.1} MB; processor time: commits and paths {paths_only:.2?} ({:.2} × git log --numstat), with symbols \
         {ours:.2?} ({:.2} ×), git {gits:.2?}",
        coverage.commits,
        bytes as f64 / 1e6,
        ratio(paths_only),
        ratio(ours),
    );
    let mut indexes = Indexes {
        indexed: HistoryIndex::open(engine.store_paths()),
        unindexed: HistoryIndex::open(empty.store_paths()),
        head: history.revision("HEAD")?,
        history,
    };
    compare_versions(&mut indexes, paths)?;
    let functions = compare_path_logs(&mut indexes, paths)?;
    compare_symbol_logs(&mut indexes, root, &engine, &functions)
}

/// The index, an empty one, and the repository.
struct Indexes {
    indexed: HistoryIndex,
    unindexed: HistoryIndex,
    history: History,
    head: Oid,
}

/// Compares the symbols of old versions, extracted beside the next version, with those of the whole content.
fn compare_versions(indexes: &mut Indexes, paths: &[&str]) -> Result<()> {
    let Indexes { indexed: index, history, head, .. } = indexes;
    let (mut all, mut same) = (0, 0);
    let (mut whole_time, mut beside_time) = (Duration::ZERO, Duration::ZERO);
    for path in paths {
        let path = RepoPath::from(*path);
        let mut pairs = Vec::new();
        path_log(index, history, *head, &path, &mut |_, id, change| {
            pairs.push((id, change.path.clone(), change.old_path.clone(), change.kind));
            Ok(if pairs.len() < MAX_VERSIONS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        let mut chained: Option<FileVersion> = None;
        for (id, path, old_path, kind) in pairs {
            let old_path = old_path.as_ref();
            let change = history.path_change(&id, path.as_bytes(), old_path.map(RepoPath::as_bytes), kind)?;
            let (before, after) = (history.content(change.old)?, history.content(change.new)?);
            // As the indexer does: each version beside the one before it in the log, so that a fault would stay.
            let new = match chained.take() {
                Some(version) if version.content() == after.as_slice() => version,
                _ => FileVersion::extract(&path, &after),
            };
            let start = Instant::now();
            let whole = FileVersion::extract(&path, &before);
            whole_time += start.elapsed();
            let start = Instant::now();
            let beside = version_beside(&path, &before, &new);
            beside_time += start.elapsed();
            let is_same = |(a, b): (&SymbolVersion, &SymbolVersion)| {
                (a.kind, &a.name, a.first_line, a.last_line) == (b.kind, &b.name, b.first_line, b.last_line)
                    && !SymbolDelta::between(a, b).is_change()
            };
            all += 1;
            if whole.symbols.len() == beside.symbols.len()
                && whole.symbols.iter().zip(&beside.symbols).all(is_same)
            {
                same += 1;
            } else {
                println!("version before {} of {}: other symbols", short_id(&id), path.display());
            }
            chained = Some(beside);
        }
    }
    println!(
        "versions: {same} of {all} equal; whole {whole_time:.2?}, beside the next version {beside_time:.2?} ({:.1} × faster)",
        whole_time.as_secs_f64() / beside_time.as_secs_f64().max(1e-6)
    );
    Ok(())
}

/// Compares the logs of files; returns one function of each.
fn compare_path_logs(indexes: &mut Indexes, paths: &[&str]) -> Result<Vec<(RepoPath, SymbolVersion)>> {
    let Indexes { indexed: index, unindexed, history, head } = indexes;
    let head = *head;
    let (mut same, mut functions) = (0, Vec::new());
    for path in paths {
        let path = RepoPath::from(*path);
        let log = |index: &mut HistoryIndex, history: &mut History| -> Result<Vec<String>> {
            let mut found = Vec::new();
            path_log(index, history, head, &path, &mut |_, id, change| {
                found.push(format!("{id} {:?} {:?}", change.kind, change.old_path));
                Ok(ControlFlow::Continue(()))
            })?;
            Ok(found)
        };
        let (expected, found) = (log(unindexed, history)?, log(index, history)?);
        if expected == found {
            same += 1;
        } else {
            println!("index, log of {}: {} commits, indexed {}", path.display(), expected.len(), found.len());
        }
        let blob = history.file_at(&head, &path)?;
        let content: Arc<Vec<u8>> = history.content(blob)?;
        let symbols = FileVersion::extract(&path, &content).symbols;
        let function = symbols.into_iter().find(|symbol| symbol.kind == SymbolKind::Function);
        functions.extend(function.map(|function| (path, function)));
    }
    println!("index, logs of files: {same} of {} equal", paths.len());
    Ok(functions)
}

/// Compares the logs of functions, and the time they take with that of `git log -L`.
fn compare_symbol_logs(
    indexes: &mut Indexes,
    root: &Path,
    engine: &Engine,
    functions: &[(RepoPath, SymbolVersion)],
) -> Result<()> {
    let Indexes { indexed: index, unindexed, history, head } = indexes;
    let head = *head;
    let (mut same, mut ours, mut gits) = (0, Vec::new(), Vec::new());
    for (path, function) in functions {
        let log = |index: &mut HistoryIndex, history: &mut History| -> Result<Vec<String>> {
            let mut found = Vec::new();
            let mut log = SymbolLog::new(function.name.clone(), function.kind);
            log.run(index, history, head, path, &mut |_, entry| {
                found.push(format!("{entry:?}"));
                Ok(ControlFlow::Continue(()))
            })?;
            Ok(found)
        };
        let expected = log(unindexed, history)?;
        // Where an added file was copied from is found out once.
        let found = log(index, history)?;
        let start = Instant::now();
        let mut again = HistoryIndex::open(engine.store_paths());
        log(&mut again, history)?;
        ours.push(start.elapsed());
        let lines = format!("-L{},{}:{}", function.first_line, function.last_line, path.display());
        gits.push(git(root, &["log", "-s", "--format=%H", &lines])?.1);
        if expected == found {
            same += 1;
        } else {
            println!("index, log of {}#{}: {expected:#?} {found:#?}", path.display(), function.name);
        }
    }
    ours.sort_unstable();
    gits.sort_unstable();
    let median = |times: &[Duration]| times.get(times.len() / 2).copied().context("no function");
    println!(
        "index, logs of functions: {same} of {} equal; median {:.2?}, git log -L {:.2?}",
        functions.len(),
        median(&ours)?,
        median(&gits)?
    );
    Ok(())
}

fn compare_blame(root: &Path, paths: &[&str]) -> Result<()> {
    let (mut lines, mut same, mut ours, mut gits) = (0_usize, 0_usize, Duration::ZERO, Duration::ZERO);
    let mut history = History::open(root)?;
    let head = history.revision("HEAD")?;
    for path in paths {
        let (text, time) = git(root, &["blame", "-s", "-l", "--root", "HEAD", "--", path])?;
        gits += time;
        let expected: Vec<&str> = text
            .lines()
            .map(|line| line.trim_start_matches('^').split(' ').next().unwrap_or_default())
            .collect();
        let start = Instant::now();
        let found = history.blame(head, &RepoPath::from(*path), &BTreeSet::new())?.unwrap_or_default();
        ours += start.elapsed();
        let found: Vec<String> =
            found.iter().flat_map(|range| (0..range.count).map(|_| range.commit.to_string())).collect();
        let equal = expected.iter().zip(&found).filter(|(a, b)| b.starts_with(**a)).count();
        lines += expected.len().max(found.len());
        same += equal;
        if equal != expected.len() || found.len() != expected.len() {
            println!("blame {path}: {equal} of {} lines ({} ours)", expected.len(), found.len());
        }
    }
    report("blame, lines", same, lines, ours, gits);
    Ok(())
}

fn compare_logs(root: &Path, paths: &[&str]) -> Result<()> {
    let (mut same, mut ours, mut gits) = (0, Duration::ZERO, Duration::ZERO);
    let mut history = History::open(root)?;
    let head = history.revision("HEAD")?;
    for path in paths {
        let (text, time) = git(root, &["log", "--follow", "--format=%H", "HEAD", "--", path])?;
        gits += time;
        let expected: BTreeSet<String> = text.lines().map(str::to_owned).collect();
        let start = Instant::now();
        let mut found = BTreeSet::new();
        history.path_log(head, &RepoPath::from(*path), &mut |_, id, _| {
            found.insert(id.to_string());
            Ok(ControlFlow::Continue(()))
        })?;
        ours += start.elapsed();
        if found == expected {
            same += 1;
        } else {
            let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| -> Vec<String> {
                a.difference(b).take(4).map(|id| id[..10].to_owned()).collect()
            };
            println!(
                "log {path}: only git {:?}, only ours {:?}",
                only(&expected, &found),
                only(&found, &expected)
            );
        }
    }
    report("log, paths", same, paths.len(), ours, gits);
    Ok(())
}

/// Searches for a line of each file.
fn compare_pickaxe(root: &Path, paths: &[&str]) -> Result<()> {
    let (mut same, mut all, mut ours, mut gits) = (0, 0, Duration::ZERO, Duration::ZERO);
    let mut history = History::open(root)?;
    let head = history.revision("HEAD")?;
    for path in paths.iter().take(paths.len().min(100)) {
        let (text, _) = git(root, &["show", &format!("HEAD:{path}")])?;
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let Some(needle) = words.filter(|word| word.len() > 5).nth(7) else { continue };
        let (text, time) = git(root, &["log", "--format=%H", &format!("-S{needle}"), "HEAD"])?;
        gits += time;
        let expected: BTreeSet<String> = text.lines().map(str::to_owned).collect();
        let start = Instant::now();
        let mut found = BTreeSet::new();
        history.occurrences(head, regex::bytes::Regex::new(&regex::escape(needle))?, &mut |_, id, _| {
            found.insert(id.to_string());
            Ok(ControlFlow::Continue(()))
        })?;
        ours += start.elapsed();
        all += 1;
        if found == expected {
            same += 1;
        } else {
            for id in expected.symmetric_difference(&found).take(3) {
                let id = history.revision(id)?;
                println!("pickaxe `{needle}`: {} {}", short_id(&id), history.commit(&id)?.subject());
            }
        }
    }
    report("pickaxe, words", same, all, ours, gits);
    Ok(())
}

fn report(what: &str, same: usize, all: usize, ours: Duration, gits: Duration) {
    let share = 100.0 * same as f64 / all.max(1) as f64;
    println!("{what}: {same} of {all} equal ({share:.2} %); ours {ours:.2?}, git {gits:.2?}");
}
