//! A stopped process hardly delays others: they answer without it, and say what to do about it.

use crate::sandbox::{Sandbox, text};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Timeout: longer only if something hangs.
const LONG: Duration = Duration::from_mins(1);
/// Limit for a command on a busy machine; waiting for a stopped process took more than five seconds.
const SOON: Duration = Duration::from_secs(3);

/// A child process, killed at the end of the test.
struct Running(Child);

impl Running {
    fn start(tree: &Sandbox, args: &[&str]) -> Self {
        let mut command = tree.command(args);
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"))
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.0.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "not in a minute: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A file of the tree's own directory in the store.
fn own_file(tree: &Sandbox, name: &str) -> Option<PathBuf> {
    let mut directories = vec![tree.store()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).ok()?.flatten() {
            if entry.file_name() == name && entry.path().parent()?.join("lock").exists() {
                return Some(entry.path());
            }
            if entry.path().is_dir() {
                directories.push(entry.path());
            }
        }
    }
    None
}

/// Enough source for indexing to take a while.
fn write_many(tree: &Sandbox, prefix: &str) {
    for file in 0..150 {
        let mut source = String::new();
        for number in 0..40 {
            let _ = write!(source, "def {prefix}_{file}_{number}(a, b):\n    return a + b * {number}\n\n");
        }
        tree.write(&format!("f{file}.py"), source);
    }
}

/// Starts indexing and stops the process while it holds the lock.
fn stopped_indexer(tree: &Sandbox) -> Running {
    let indexer = Running::start(tree, &["index"]);
    let pid = indexer.0.id().to_string();
    until("the indexer has the lock", || {
        let lock = own_file(tree, "lock").and_then(|lock| fs::read_to_string(lock).ok());
        lock.is_some_and(|record| record.split_whitespace().next() == Some(pid.as_str()))
    });
    indexer.signal("-STOP");
    indexer
}

fn timed(tree: &Sandbox, args: &[&str]) -> (Output, Duration) {
    let begun = Instant::now();
    let output = tree.run(args);
    (output, begun.elapsed())
}

fn assert_answers_beside(tree: &Sandbox, stopped: &Running, name: &str, line: &str) {
    let output = tree.run(&["symbols", name]);
    assert_eq!(text(&output.stdout), format!("{line}\n"), "{output:?}");
    let said = text(&output.stderr);
    let pid = stopped.0.id();
    assert!(said.contains(&format!("process {pid} is writing the index and does not respond")), "{said}");
    assert!(said.contains(&format!("kill -CONT {pid}")), "{said}");
}

#[test]
fn a_stopped_first_indexer_is_not_waited_for() {
    let tree = Sandbox::new(&[]);
    write_many(&tree, "first");
    let indexer = stopped_indexer(&tree);
    assert!(own_file(&tree, "index.db").is_none(), "it was stopped in time");
    assert_answers_beside(
        &tree,
        &indexer,
        "first_7_39",
        "f7.py:118  function first_7_39  def first_7_39(a, b)",
    );
    let (output, took) = timed(&tree, &["index"]);
    assert!(!output.status.success() && took < SOON, "{took:?} {output:?}");
    assert!(text(&output.stderr).contains(&format!("kill -KILL {}", indexer.0.id())), "{output:?}");
    indexer.signal("-CONT");
    until("the index is there", || own_file(&tree, "index.db").is_some());
    tree.assert_output(&["symbols", "first_7_39"], "f7.py:118  function first_7_39  def first_7_39(a, b)");
}

#[test]
fn beside_a_stopped_writer_changes_are_seen_in_memory() {
    let tree = Sandbox::new(&[]);
    write_many(&tree, "before");
    assert!(tree.run(&["index"]).status.success());
    write_many(&tree, "after");
    let writer = stopped_indexer(&tree);
    assert_answers_beside(
        &tree,
        &writer,
        "after_7_39",
        "f7.py:118  function after_7_39  def after_7_39(a, b)",
    );
    writer.signal("-CONT");
    until("the lock is given back", || tree.run(&["index"]).status.success());
    tree.assert_output(&["symbols", "after_7_39"], "f7.py:118  function after_7_39  def after_7_39(a, b)");
}

/// Stops the watcher of a tree, and queries meanwhile.
fn stopped_watcher(args: &[&str]) {
    let tree = Sandbox::new(&[("a.py", "def one(): pass\n")]);
    assert!(tree.run(&["index"]).status.success());
    let watcher = Running::start(&tree, args);
    let pid = watcher.0.id();
    let watches = || {
        text(&tree.run(&["doctor"]).stdout).contains(&format!("process {pid} watches this tree for commands"))
    };
    until("it can be asked", watches);
    watcher.signal("-STOP");
    tree.write("a.py", "\n\ndef one(): pass\n");
    for time in ["first", "second", "third"] {
        let (output, took) = timed(&tree, &["symbols", "one"]);
        assert_eq!(text(&output.stdout), "a.py:3  function one  def one()\n");
        assert!(took < SOON, "the {time} time: {took:?}");
        assert!(own_file(&tree, "watcher.silent").is_some(), "that it is silent is remembered");
    }
    let doctor = text(&tree.run(&["doctor"]).stdout);
    assert!(doctor.contains(&format!("process {pid} watches this tree but does not respond")), "{doctor}");
    watcher.signal("-CONT");
    until("it is asked again", watches);
    assert!(own_file(&tree, "watcher.silent").is_none());
}

#[test]
fn a_stopped_watcher_is_asked_once() {
    stopped_watcher(&["watch"]);
}

#[test]
fn a_stopped_server_is_asked_once() {
    stopped_watcher(&["serve", "--listen", "127.0.0.1:0"]);
}
