//! The log of servers: a line for each call, without any text of the repository or of a query.

use crate::damaged_index;
use crate::sandbox::Sandbox;
use crate::stdio_client::Stdio;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

/// A word in files, file names and queries that must not appear in the log.
const MARKER: &str = "xylophone_quartz";

/// The lines of the log, parsed as JSON.
fn lines(tree: &Sandbox) -> Vec<Value> {
    let text = fs::read_to_string(tree.store().join("log/orient.log")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Waits for a log line: a server writes it after the answer.
fn wait_for(tree: &Sandbox, what: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        if let Some(line) = lines(tree).into_iter().find(&what) {
            return line;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "no such line: {:#?}", lines(tree));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn every_call_is_logged() {
    let mut server = Stdio::new();
    let said = server.call("read", &json!({ "target": "total" }));
    let line = wait_for(&server.tree, |line| line["span"] == "tool_call");
    assert_eq!((&line["tool"], &line["outcome"]), (&"read".into(), &"ok".into()), "{line}");
    assert_eq!(line["generation"], said.structured["generation"], "{line}");
    assert_eq!((&line["level"], &line["target"]), (&"info".into(), &"serve".into()), "{line}");
    assert!(line["duration_ms"].as_f64().is_some_and(|took| took > 0.0), "{line}");
    assert!(line["tokens"].as_u64().is_some_and(|tokens| (5..200).contains(&tokens)), "{line}");
    assert!(line["pid"].as_u64().is_some(), "{line}");
    let ts = line["ts"].as_str().expect("a time");
    assert!(ts.len() == 24 && ts.starts_with("20") && ts.ends_with('Z'), "{ts}");
    assert_eq!(lines(&server.tree)[0]["message"], "server started");
    server.call("read", &json!({ "target": "no_such_thing" }));
    let missed = wait_for(&server.tree, |line| line["span"] == "tool_call" && line["outcome"] != "ok");
    assert_eq!(missed["tool"], "read", "{missed}");
}

#[test]
fn neither_source_nor_queries_are_logged() {
    for filter in ["info", "debug"] {
        let tree = Sandbox::new();
        tree.write("shop/marked.py", &format!("# {MARKER}\ndef {MARKER}():\n    return '{MARKER}'\n"));
        tree.write("shop/broken.py", &format!("def {MARKER}_2(:\n    {MARKER} = = '\n"));
        tree.write("go.mod", &format!("module {MARKER}\n"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_orient"));
        command.env("ORIENT_LOG", filter);
        let mut server = Stdio::started(command, tree, &["--tools", "all"]).initialized();
        for (tool, arguments) in [
            ("search", json!({ "query": MARKER })),
            ("grep", json!({ "pattern": MARKER })),
            ("symbols", json!({ "name": MARKER })),
            ("callers", json!({ "symbol": MARKER })),
            ("show", json!({ "target": MARKER })),
            ("outline", json!({ "path": format!("shop/{MARKER}.py") })),
            ("search", json!({ "query": 7, MARKER: MARKER })),
            ("grep", json!({ "pattern": format!("({MARKER}") })),
        ] {
            server.call(tool, &arguments);
        }
        server.request("tools/call", &json!({ "name": MARKER, "arguments": {} }));
        server.request(MARKER, &json!({ "x": MARKER }));
        server.tree.write("shop/marked.py", &format!("def {MARKER}_3():\n    return 1\n"));
        server.call("search", &json!({ "query": format!("{MARKER}_3") }));
        wait_for(&server.tree, |line| line["span"] == "tool_call" && line["tool"] == "grep");
        let all = lines(&server.tree);
        assert!(all.len() > 8, "{all:?}");
        for line in &all {
            assert!(!line.to_string().contains(MARKER), "{filter}: {line}");
            let target = line["target"].as_str().expect("a target");
            assert!(["cli", "engine", "live", "serve", "store", "tools"].contains(&target), "{line}");
        }
    }
}

#[test]
fn concurrent_servers_write_whole_lines() {
    let mut one = Stdio::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_orient"));
    command.env("ORIENT_LOG", "debug");
    let mut two = Stdio::started(command, Sandbox::new().stored_beside(&one.tree), &[]).initialized();
    for round in 0..10 {
        for server in [&mut one, &mut two] {
            server.call("search", &json!({ "query": format!("part {round}"), "again": true }));
        }
    }
    let ended = |pid: u64| {
        let calls = |line: &&Value| line["span"] == "tool_call" && line["pid"] == pid;
        lines(&one.tree).iter().filter(calls).count() == 10
    };
    let begun = Instant::now();
    while ![one.pid(), two.pid()].into_iter().all(ended) {
        assert!(begun.elapsed() < Duration::from_secs(30), "{:#?}", lines(&one.tree));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_repair_is_logged_and_the_doctor_shows_it() {
    let mut server = Stdio::new();
    assert_eq!(damaged_index::notices(&mut server), None);
    let path = damaged_index::index(&server.tree.store());
    let mut bytes = fs::read(&path).expect("it is there");
    for page in bytes.chunks_mut(4096).skip(1) {
        page[1000] ^= 1;
    }
    damaged_index::write_in_place(&path, &bytes);
    let noticed = damaged_index::notices(&mut server).expect("an answer says so");
    let repaired =
        wait_for(&server.tree, |line| line["message"] == "the index was damaged and has been rebuilt");
    assert_eq!((&repaired["level"], &repaired["span"]), (&"warn".into(), &"refresh".into()), "{repaired}");
    assert_eq!(repaired["tool"], noticed, "{repaired}");
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_orient"));
    doctor.args(["doctor", "--log", "--json", "--root"]).arg(server.tree.root());
    let output = doctor.arg("--store").arg(server.tree.store()).output().expect("it starts");
    let shown: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let last = shown["data"]["log"]["last"].as_array().expect("a list");
    assert!(last.iter().any(|line| line["message"] == repaired["message"]), "{shown}");
}

#[test]
fn an_unwritable_log_changes_no_answer() {
    let tree = Sandbox::new();
    tree.outside("store/log/orient.log/in_the_way", "x");
    let mut server = Stdio::with(tree, &[]);
    server.assert_alive();
    assert!(server.tree.store().join("log/orient.log/in_the_way").exists());
    assert_eq!(server.end(), Some(0));
}
