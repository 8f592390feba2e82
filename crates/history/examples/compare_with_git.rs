//! Compares blame, path logs and the pickaxe with git itself on a repository: `compare_with_git DIR [CASES] [SEED]`.
//!
//! Prints the share of equal answers, every difference, and the time that both take.

#![expect(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a program for the terminal that prints shares"
)]

use orient_history::{History, short_id};
use orient_model::RepoPath;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().collect();
    let root = args.get(1).ok_or("usage: compare_with_git DIR [CASES] [SEED]")?;
    let cases: usize = args.get(2).map_or(Ok(100), |text| text.parse())?;
    let mut seed: u64 = args.get(3).map_or(Ok(1), |text| text.parse())?;
    let root = Path::new(root);
    let listing = git(root, &["ls-tree", "-r", "--name-only", "HEAD"])?.0;
    let mut paths: Vec<&str> = listing.lines().filter(|path| !path.starts_with('"')).collect();
    // A seeded shuffle.
    for at in (1..paths.len()).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        paths.swap(at, (seed >> 33) as usize % (at + 1));
    }
    paths.truncate(cases);
    compare_blame(root, &paths)?;
    compare_logs(root, &paths)?;
    compare_pickaxe(root, &paths)
}

fn git(root: &Path, args: &[&str]) -> Result<(String, Duration), Failure> {
    let start = Instant::now();
    let output = Command::new("git").arg("-C").arg(root).args(args).output()?;
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), start.elapsed()))
}

fn compare_blame(root: &Path, paths: &[&str]) -> Result<(), Failure> {
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
        let found = history.blame(head, &RepoPath::from(*path))?.unwrap_or_default();
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

fn compare_logs(root: &Path, paths: &[&str]) -> Result<(), Failure> {
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
fn compare_pickaxe(root: &Path, paths: &[&str]) -> Result<(), Failure> {
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
