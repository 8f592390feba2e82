//! The log for users: off by default, on standard error with `--verbose`, in the store for long-running processes.

use crate::sandbox::{Sandbox, text};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

const SPANS: [&str; 7] = ["refresh", "walk", "parse", "resolve", "write", "query", "tool_call"];

fn tree() -> Sandbox {
    Sandbox::new(&[("a.py", "def one():\n    return two()\n"), ("b.py", "def two():\n    return 2\n")])
}

fn log(tree: &Sandbox) -> PathBuf {
    tree.store().join("log/orient.log")
}

/// Runs a command with `ORIENT_LOG`. Returns its standard output and standard error.
fn with_filter(tree: &Sandbox, filter: &str, args: &[&str]) -> (String, String) {
    let output = tree.command(args).env("ORIENT_LOG", filter).output().expect("it starts");
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_command_logs_nothing_unless_asked_to() {
    let tree = tree();
    let output = tree.run(&["symbols", "one"]);
    assert_eq!(text(&output.stderr), "");
    assert!(!tree.store().join("log").exists(), "and keeps nothing");
}

#[test]
fn verbose_shows_every_step_and_leaves_the_answer_alone() {
    let tree = tree();
    let first = tree.run(&["callers", "two", "--verbose"]);
    let lines = text(&first.stderr);
    for span in SPANS {
        let line = lines.lines().find(|line| line.split_whitespace().nth(3) == Some(span));
        let line = line.unwrap_or_else(|| panic!("no {span}: {lines}"));
        assert!(line.ends_with(" ms)") && line.contains(" ("), "it says how long it took: {line}");
    }
    assert!(
        lines.contains(" engine refresh tool=callers outcome=built generation=1 reason=first added=2 "),
        "{lines}"
    );
    assert!(lines.contains(" cli tool_call tool=callers outcome=ok "), "{lines}");
    let plain = tree.run(&["callers", "two"]);
    assert_eq!(text(&first.stdout), text(&plain.stdout));
    let json = |args: &[&str]| text(&tree.run(args).stdout);
    assert_eq!(json(&["callers", "two", "--json", "--verbose"]), json(&["callers", "two", "--json"]));
    assert!(!tree.store().join("log").exists(), "a command keeps no log");
}

#[test]
fn the_variable_chooses_what_is_logged() {
    let tree = tree();
    let (_, all) = with_filter(&tree, "debug", &["symbols", "one"]);
    assert!(all.contains(" tools query ") && all.contains(" engine walk "), "{all}");
    let (_, engine) = with_filter(&tree, "engine=info", &["index", "--rebuild", "-q"]);
    assert!(engine.lines().all(|line| line.contains(" engine refresh ")) && !engine.is_empty(), "{engine}");
    assert_eq!(with_filter(&tree, "off", &["symbols", "one", "--verbose"]).1, "");
    assert_eq!(with_filter(&tree, "error", &["symbols", "one"]).1, "");
    assert_eq!(with_filter(&tree, "", &["symbols", "one"]).1, "");
}

#[test]
fn a_filter_that_means_nothing_is_said_and_ignored() {
    let tree = tree();
    let (out, err) = with_filter(&tree, "loud", &["symbols", "one"]);
    assert!(out.contains("def one"), "{out}");
    let expected = "orient: ORIENT_LOG is ignored: `loud` is not a level: use off, error, warn, info or debug, or \
                    engine=debug,warn for single targets\n";
    assert_eq!(err, expected);
    assert_eq!(with_filter(&tree, "loud", &["symbols", "one", "--quiet"]).1, "");
}

#[test]
fn nobody_is_verbose_and_quiet() {
    let output = tree().run(&["symbols", "one", "--verbose", "--quiet"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("cannot be used with"));
}

#[test]
fn the_doctor_shows_the_log() {
    let tree = tree();
    let first = text(&tree.run(&["doctor", "--log"]).stdout);
    assert!(first.contains("orient.log: empty") && first.starts_with("note "), "{first}");
    fs::create_dir_all(log(&tree).parent().expect("a directory")).expect("made");
    let line = |level: &str, rest: &str| {
        let start = "{\"ts\":\"2026-03-01T09:30:00.125Z\",\"level\":";
        format!("{start}\"{level}\",\"target\":\"engine\",\"pid\":7,{rest}}}\n")
    };
    let warning = line("warn", "\"span\":\"refresh\",\"message\":\"parse limit reached\",\"files\":3");
    let failure = line("error", "\"message\":\"odd \\u001b[2J\",\"tool\":\"search\"");
    let text_of_log = [line("info", "\"message\":\"fine\""), warning, "torn\n".to_owned(), failure].concat();
    fs::write(log(&tree), text_of_log).expect("written");
    let shown = text(&tree.run(&["doctor", "--log"]).stdout);
    assert!(
        shown.contains("/store/log/orient.log, ") && shown.contains("the last 2 warnings and errors:"),
        "{shown}"
    );
    let warned = "2026-03-01T09:30:00.125Z  warn   engine  parse limit reached  files=3  span=refresh";
    assert!(shown.contains(warned), "{shown}");
    assert!(!shown.contains("fine") && !shown.contains('\u{1b}'), "{shown}");
    let json = tree.json(&["doctor", "--log", "--json"]);
    let report = &json["data"]["log"];
    assert!(report["file"].as_str().is_some_and(|file| file.ends_with("log/orient.log")), "{json}");
    assert_eq!(report["last"][0]["files"], 3, "{json}");
    assert_eq!(
        (&report["last"][1]["level"], &report["last"][1]["tool"]),
        (&"error".into(), &"search".into())
    );
    assert_eq!(json["data"]["checks"].as_array().map(Vec::len), Some(1), "nothing else is checked");
    assert!(tree.json(&["doctor", "--json"])["data"].get("log").is_none());
}

#[cfg(unix)]
#[test]
fn the_doctor_says_why_nothing_is_logged() {
    let tree = tree();
    fs::create_dir_all(tree.store()).expect("made");
    fs::write(tree.store().join("log"), "in the way").expect("written");
    let shown = text(&tree.run(&["doctor", "--log"]).stdout);
    assert!(shown.starts_with("warning") && shown.contains("is not a directory"), "{shown}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_watcher_logs_to_the_store() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let tree = tree();
    let mut child = tree.command(&["watch", "--json"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    assert!(lines.next().expect("a line").expect("readable").contains("ready"));
    tree.write("c.py", "def three(): pass\n");
    assert!(lines.next().expect("a line").expect("readable").contains("c.py"));
    child.kill().expect("killed");
    child.wait().expect("gone");
    let lines = fs::read_to_string(log(&tree)).expect("there is a log");
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines[0]["message"], "watcher started", "{lines:?}");
    let refreshes: Vec<&Value> = lines.iter().filter(|line| line["span"] == "refresh").collect();
    let added = |refresh: &&Value| refresh["outcome"] == "changed" && refresh["added"] == 1;
    assert_eq!(refreshes[0]["outcome"], "built", "{lines:?}");
    assert!(refreshes.iter().any(added), "{lines:?}");
    assert!(lines.iter().all(|line| line["pid"] == child.id() && line["level"] == "info"), "{lines:?}");
}
