//! `xtask replay`: guided tasks on real bug fixes. For each commit of `evals/fixes/fixes.toml`, checks out its parent, plans with its
//! message as the request, makes the planned calls, and compares with what the fix changed.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use crate::bench::Scratch;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Calls of the guard that are timed per commit.
const GUARD_CALLS: usize = 10;

/// Options of `xtask replay`.
#[derive(clap::Args)]
pub(crate) struct Replay {
    /// The directory with a clone of each repository, by name
    clones: PathBuf,
    /// The program
    #[arg(long, value_name = "FILE", default_value = "target/release/orient")]
    orient: PathBuf,
}

#[derive(Deserialize)]
struct Fixes {
    repository: Vec<Repository>,
}

/// A repository and the commits to replay.
#[derive(Deserialize)]
struct Repository {
    name: String,
    url: String,
    /// What the paths of tests contain.
    tests: String,
    commits: Vec<String>,
}

/// What one replay has shown.
struct Replayed {
    /// Whether a planned call is about a source file of the fix.
    reaches_files: bool,
    /// Whether the files and tests to verify contain a test file of the fix.
    names_tests: bool,
    /// Tokens of the answers of `task`.
    overhead: usize,
    guard: Vec<Duration>,
}

/// Replays every fix and prints what the plans were worth.
pub(crate) fn run(options: &Replay) -> Result<()> {
    let fixes: Fixes = toml::from_str(&std::fs::read_to_string("evals/fixes/fixes.toml")?)?;
    let orient = options.orient.canonicalize().context("build it first, or name it with --orient")?;
    let mut all = Vec::new();
    for repository in &fixes.repository {
        let clone = options.clones.join(&repository.name);
        if !clone.exists() {
            bail!("git clone {} {}", repository.url, clone.display());
        }
        for commit in &repository.commits {
            let replayed = replay(&orient, repository, &clone, commit)?;
            let yes = |is: bool| if is { "yes" } else { "no" };
            println!(
                "{} {commit}: plan reaches the fix {}, its tests are listed {}, {} tokens",
                repository.name,
                yes(replayed.reaches_files),
                yes(replayed.names_tests),
                replayed.overhead
            );
            all.push(replayed);
        }
    }
    let mut times: Vec<Duration> = all.iter().flat_map(|one| one.guard.iter().copied()).collect();
    times.sort_unstable();
    let count = |is: fn(&Replayed) -> bool| all.iter().filter(|one| is(one)).count();
    println!(
        "of {}: plan reaches the fix {}, tests listed {}; most tokens {}; guard median {:.1} ms, p95 {:.1} ms",
        all.len(),
        count(|one| one.reaches_files),
        count(|one| one.names_tests),
        all.iter().map(|one| one.overhead).max().unwrap_or_default(),
        millis(&times, 50),
        millis(&times, 95),
    );
    Ok(())
}

fn millis(sorted: &[Duration], percent: usize) -> f64 {
    sorted.get(sorted.len() * percent / 100).or(sorted.last()).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

fn replay(orient: &Path, repository: &Repository, clone: &Path, commit: &str) -> Result<Replayed> {
    let scratch = Scratch::new("replay")?;
    let tree = scratch.path().join("tree");
    let git = |directory: &Path, args: &[&str]| -> Result<String> {
        let output = Command::new("git").current_dir(directory).args(args).output()?;
        if !output.status.success() {
            bail!("git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let place = tree.to_str().context("a path in UTF-8")?;
    git(clone, &["clone", "-q", "--shared", ".", place])?;
    git(&tree, &["checkout", "-q", &format!("{commit}~1")])?;
    let request = git(clone, &["log", "-1", "--format=%B", commit])?;
    let changed = git(clone, &["show", "--name-only", "--format=", commit])?;
    let (tests, sources): (Vec<&str>, Vec<&str>) =
        changed.lines().filter(|line| !line.is_empty()).partition(|path| path.contains(&repository.tests));
    let store = scratch.path().join("store");
    let run = |args: &[&str]| -> Result<Output> {
        let mut command = Command::new(orient);
        command.args(args).current_dir(&tree).env("ORIENT_STORE", &store).env("ORIENT_CLIENT", "claude-code");
        Ok(command.output()?)
    };
    let mut overhead = 0;
    let mut task = |args: &[&str]| -> Result<Value> {
        let args = [&["task"], args].concat();
        overhead += orient_tools::tokens(&String::from_utf8_lossy(&run(&args)?.stdout));
        let output = run(&[&args[..], &["--json"]].concat())?;
        Ok(serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default()["data"].take())
    };
    task(&["start", "--intent", "modify", request.trim()])?;
    let plan = task(&["plan"])?;
    let steps: Vec<String> = list(&plan["plan"]["steps"], "call");
    let planned: Vec<String> = plan["plan"]["files"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|file| file.as_str().map(str::to_owned))
        .collect();
    let reaches_files = sources.iter().any(|path| planned.iter().any(|file| file == path));
    for step in &steps {
        // The words of a step have no spaces but those of a quoted text, which no path or handle contains.
        run(&step.splitn(2, ' ').map(|word| word.trim_matches('"')).collect::<Vec<_>>())?;
    }
    let mut verify: Vec<String> = plan["plan"]["tests"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|test| test.as_str().map(str::to_owned))
        .collect();
    // What a change of the files must verify is computed for a task that may write: a question may at once.
    task(&["start", "--intent", "question", request.trim()])?;
    for path in &sources {
        let checked = task(&["check", path])?;
        for part in ["must", "should", "tests"] {
            verify.extend(list(&checked[part], "path"));
        }
    }
    let names_tests =
        tests.iter().any(|test| verify.iter().any(|known| known.split('#').next() == Some(test)));
    let guard =
        (0..GUARD_CALLS).map(|_| time_guard(orient, &tree, &store, sources[0])).collect::<Result<_>>()?;
    Ok(Replayed { reaches_files, names_tests, overhead, guard })
}

/// The texts of a field in a list.
fn list(value: &Value, field: &str) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(|item| item[field].as_str().map(str::to_owned)).collect()
}

/// The time that a hook waits for the guard.
fn time_guard(orient: &Path, tree: &Path, store: &Path, path: &str) -> Result<Duration> {
    use std::io::Write;
    let message = serde_json::json!({ "hook_event_name": "PreToolUse", "tool_name": "Edit", "cwd": tree,
        "tool_input": { "file_path": tree.join(path) } });
    let begun = Instant::now();
    let mut child = Command::new(orient)
        .args(["guard", "claude-code"])
        .current_dir(tree)
        .env("ORIENT_STORE", store)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()?;
    child.stdin.take().context("a pipe")?.write_all(message.to_string().as_bytes())?;
    child.wait()?;
    Ok(begun.elapsed())
}
