//! `bench fresh`: the cost of checking for changes, compared with a bare walk of the same tree.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use super::floor::index_command;
use super::process::{self, Scratch};
use crate::corpus::default_threads;
use crate::report::{count, table};
use anyhow::{Context, Result, bail};
use orient_walk::{WalkOptions, list};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Longer than the time during which the stamp of a changed file is untrusted.
const SETTLE: Duration = Duration::from_secs(4);

/// Measures and prints a table.
pub(super) fn run(directory: &Path, rounds: usize) -> Result<()> {
    let product = process::product()?;
    let scratch = Scratch::new("fresh")?;
    let (tree, store) = (scratch.path().join("tree"), scratch.path().join("store"));
    let files = copy(directory, &tree)?;
    let victim = files.get(files.len() / 2).context("the directory has files")?.clone();
    std::thread::sleep(SETTLE);
    process::cost(&mut index_command(&product, &tree, &store, default_threads()), false)?;

    let mut walks = Vec::new();
    let mut idle = Vec::new();
    let mut changed = Vec::new();
    for _ in 0..rounds.max(1) {
        walks.push(process::cost(process::step("walk-step")?.arg(&tree), false)?.time);
        let before = process::cost(&mut status(&product, &tree, &store), false)?;
        idle.push(before.time);
        std::fs::OpenOptions::new().append(true).open(&victim)?.write_all(b"\n")?;
        let after = process::cost(&mut status(&product, &tree, &store), false)?;
        changed.push(after.time);
        if generation(&after.printed)? <= generation(&before.printed)? {
            bail!("the changed file was not seen");
        }
        // After the time during which the changed file would be read again.
        std::thread::sleep(SETTLE);
        process::cost(&mut status(&product, &tree, &store), false)?;
    }
    println!(
        "{}: {} files, median of {} rounds",
        directory.display(),
        count(files.len() as u64),
        rounds.max(1)
    );
    let walk = median(&mut walks);
    let row = |name: &str, time: Duration| {
        let beyond = (time.as_secs_f64() - walk.as_secs_f64()) * 1000.0;
        vec![name.to_owned(), format!("{:.1} ms", time.as_secs_f64() * 1000.0), format!("{beyond:+.1} ms")]
    };
    let rows = [
        row("bare walk", walk),
        row("orient status, nothing changed", median(&mut idle)),
        row("orient status, one file changed", median(&mut changed)),
    ];
    table(&["", "time", "beyond the walk"], &rows);
    Ok(())
}

/// A bare walk: only the listing.
pub(super) fn walk(directory: &Path) -> Result<()> {
    let listing = list(directory, &WalkOptions::default())?;
    println!("{}", listing.files.len());
    Ok(())
}

fn status(product: &Path, tree: &Path, store: &Path) -> Command {
    let mut command = Command::new(product);
    command.arg("status").arg("--root").arg(tree).arg("--store").arg(store).args(["--quiet", "--json"]);
    command
}

fn generation(printed: &str) -> Result<u64> {
    let answer: Value = serde_json::from_str(printed).context("status --json prints JSON")?;
    answer.pointer("/data/generation").and_then(Value::as_u64).context("the status names its generation")
}

pub(super) fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Copies all files that a walk of `from` lists. Returns the copies.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in list(from, &WalkOptions::default())?.files {
        let path =
            orient_walk::to_native(&entry.path).context("every path listed here can be opened here")?;
        let target = to.join(&path);
        std::fs::create_dir_all(target.parent().context("a file is in a directory")?)?;
        std::fs::copy(from.join(&path), &target).with_context(|| format!("copying {}", path.display()))?;
        files.push(target);
    }
    Ok(files)
}
