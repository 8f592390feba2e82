//! Search with a provider's vectors: from its selection to the order of hits, and every failure in between. The
//! server is real; its model is fake, so that the tests know what is near.

use crate::fake_embedding_server::{DIMENSION, Mood, Server, WINNER};
use crate::sandbox::{Sandbox, holds, text};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Words that do not occur in the tree: only the vectors can match.
const QUESTION: &str = "pecuniary quantisation";
const KEY: &str = "sk-d00r-never-to-be-seen";

/// A tree of six files with two functions each; one of them is the winner.
fn tree(server: &Server) -> Sandbox {
    let tree = Sandbox::new(&[]);
    for (at, name) in ["apple", "birch", "cedar", "daisy", "elder", "fern"].iter().enumerate() {
        let second = if at == 3 { WINNER } else { "branches" };
        let code = format!(
            "def {name}_root(depth):\n    \"\"\"Grows down.\"\"\"\n    return depth + {at}\n\n\n\
             def {name}_{second}(count):\n    \"\"\"Grows up.\"\"\"\n    return count * {at}\n"
        );
        tree.write(&format!("src/{name}.py"), code);
    }
    choose(&tree, "ollama", "m", &server.here());
    tree
}

/// Writes the user's own settings.
fn choose(tree: &Sandbox, provider: &str, model: &str, url: &str) {
    let chosen = format!("[embed]\nprovider = '{provider}'\nmodel = '{model}'\nurl = '{url}'\n");
    tree.write("../home/.config/orient/config.toml", chosen);
}

/// The hits of a search, as `path:line`, and its notes.
fn search(tree: &Sandbox) -> (Vec<String>, Vec<String>) {
    let answer = tree.json(&["search", QUESTION, "--json"]);
    let hit = |hit: &Value| format!("{}:{}", hit["path"].as_str().expect("a path"), hit["start_line"]);
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let hits = list(&answer["data"]["hits"]).iter().map(hit).collect();
    let note =
        |note: &Value| note.as_str().map(ToOwned::to_owned).filter(|note| note.starts_with("vectors:"));
    (hits, list(&answer["notes"]).iter().filter_map(note).collect())
}

#[track_caller]
fn run(tree: &Sandbox, args: &[&str]) -> String {
    let output = tree.run(&[&["embed", "run"], args].concat());
    assert!(output.status.success(), "{}", said(&output));
    said(&output)
}

fn said(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn the_providers_vectors_decide_the_order() {
    let server = Server::new();
    let tree = tree(&server);
    let (before, notes) = search(&tree);
    assert_eq!(
        notes,
        [
            "vectors: built-in model; 0 of 12 chunks embedded by ollama/m (`orient embed run` or a running server \
             embeds the rest)"
        ]
    );
    assert!(server.texts().is_empty(), "before a run nothing is sent");
    assert_ne!(before.first().map(String::as_str), Some("src/daisy.py:6"), "{before:?}");

    let said = run(&tree, &[]);
    assert!(
        said.starts_with("12 chunks embedded, ") && said.contains("embedded    12 of 12 chunks"),
        "{said}"
    );
    let sent = server.texts();
    assert_eq!(sent.len(), 13, "twelve chunks, and a word to learn the dimension: {sent:?}");
    assert!(
        sent.iter().any(|text| text.starts_with("src/daisy.py\ndaisy_windfall\ndef daisy_windfall(count):"))
    );

    let (after, notes) = search(&tree);
    assert_eq!(after[0], "src/daisy.py:6", "{after:?}");
    assert_eq!(notes, ["vectors: ollama/m"]);
    assert_eq!(server.texts()[13..], [QUESTION.to_owned()], "the question, and nothing else");
    assert_eq!(search(&tree).0, after, "the same question, the same answer");

    // Commands that need no vectors send nothing.
    let count = server.texts().len();
    tree.json(&["search", QUESTION, "--no-vectors", "--json"]);
    assert_eq!(server.texts().len(), count);
    let context = tree.json(&["context", QUESTION, "--json"]);
    assert!(context["notes"].to_string().contains("vectors: ollama/m"), "{context}");
    assert!(run(&tree, &[]).starts_with("everything is embedded already"));
}

#[test]
fn only_what_changed_is_sent_again() {
    let server = Server::new();
    let tree = tree(&server);
    run(&tree, &[]);
    let before = server.texts().len();
    let code = std::fs::read_to_string(tree.root().join("src/elder.py")).expect("it is there");
    tree.write("src/elder.py", code.replace("Grows up", "Grows sideways"));
    let (hits, notes) = search(&tree);
    assert_eq!(hits[0], "src/daisy.py:6", "{hits:?}");
    assert_eq!(notes, ["vectors: ollama/m, 11 of 12 chunks; built-in model for the rest"]);
    run(&tree, &[]);
    let sent: Vec<String> = server.texts().split_off(before);
    let changed: Vec<&String> = sent.iter().filter(|text| text.contains("def ")).collect();
    assert_eq!(changed.len(), 1, "{sent:?}");
    assert!(changed[0].contains("Grows sideways"), "{changed:?}");
    assert_eq!(search(&tree).1, ["vectors: ollama/m"]);
    // A new index finds all vectors in the cache.
    tree.run(&["index", "--rebuild"]);
    assert_eq!(search(&tree).1, ["vectors: ollama/m"]);
}

#[test]
fn a_run_that_was_killed_goes_on_where_it_was() {
    let server = Server::new();
    let tree = tree(&server);
    let args = ["--set", "embed.batch=2", "--set", "embed.concurrency=1"];
    // A test request, three requests with two chunks each, and then silence.
    server.mood(Mood::SilentAfter(4));
    let mut child = tree.command(&[&["embed", "run"], &args[..]].concat());
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the command starts");
    let begun = Instant::now();
    while server.texts().len() < 9 && begun.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let before = server.connections();
    let second = tree.run(&[&["embed", "run"], &args[..]].concat());
    assert_eq!(server.connections(), before, "it is not even asked for its dimension");
    assert_eq!(second.status.code(), Some(5));
    assert!(said(&second).contains("is embedding the code of this repository"), "{}", said(&second));
    child.kill().expect("it runs");
    child.wait().expect("it ended");
    let sent = server.texts();
    assert_eq!(sent.len(), 9, "a word, six chunks, and two that were under way: {sent:?}");
    server.mood(Mood::Good);
    let (hits, notes) = search(&tree);
    assert!(!hits.is_empty());
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].starts_with("vectors: built-in model; 6 of 12 chunks embedded by ollama/m"),
        "{notes:?}"
    );
    assert_eq!(server.texts().len(), 9, "half of the chunks are not enough to ask");

    assert!(run(&tree, &args).starts_with("6 chunks embedded"));
    let (first, second) = (server.texts()[1..7].to_vec(), server.texts()[10..].to_vec());
    assert_eq!(second.len(), 6, "{second:?}");
    assert!(first.iter().all(|text| !second.contains(text)), "nothing that was kept is sent again");
    let all: BTreeSet<_> = first.iter().chain(&second).collect();
    assert_eq!(all.len(), 12);
    assert_eq!(search(&tree).0[0], "src/daisy.py:6");
}

#[test]
fn search_goes_on_whatever_becomes_of_the_provider() {
    let server = Server::new();
    let tree = tree(&server);
    let (built_in, _) = search(&tree);
    run(&tree, &[]);
    let moods = [
        (Mood::HangsUp, "the connection to 127.0.0.1 failed"),
        (Mood::Says(429, r#"{"error":"slow down"}"#), "status 429: slow down"),
        (Mood::Says(500, "oops"), "status 500: oops"),
        (Mood::Says(200, "<html>"), "unexpected JSON"),
        (
            Mood::Dimension(DIMENSION + 1),
            "instead of 64 (`orient embed run` embeds the affected chunks again)",
        ),
        (Mood::SilentAfter(0), "no response within"),
    ];
    for (mood, words) in moods {
        server.mood(mood);
        let begun = Instant::now();
        let (hits, notes) = search(&tree);
        assert_eq!(hits, built_in, "{words}");
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with("vectors: built-in model; Ollama "), "{notes:?}");
        assert!(notes[0].contains(words), "{notes:?}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }
    server.mood(Mood::Good);
    assert_eq!(search(&tree).1, ["vectors: ollama/m"]);
}

#[test]
fn a_run_that_fails_says_how_far_it_came() {
    let server = Server::new();
    let tree = tree(&server);
    server.mood(Mood::RefusesAfter(3));
    let output = tree.run(&["embed", "run", "--set", "embed.batch=3", "--set", "embed.concurrency=1"]);
    assert_eq!(output.status.code(), Some(5));
    let said = said(&output);
    assert!(said.contains("error: Ollama is not available: status 400: enough"), "{said}");
    assert!(said.contains("6 chunks were embedded and are kept; `orient embed run` continues"), "{said}");
    server.mood(Mood::Good);
    assert!(run(&tree, &[]).starts_with("6 chunks embedded"));
}

#[test]
fn another_model_starts_over_while_the_built_in_one_answers() {
    let server = Server::new();
    let tree = tree(&server);
    run(&tree, &[]);
    choose(&tree, "ollama", "n", &server.here());
    let before = server.texts().len();
    let (_, notes) = search(&tree);
    assert!(
        notes[0].starts_with("vectors: built-in model; 0 of 12 chunks embedded by ollama/n"),
        "{notes:?}"
    );
    assert_eq!(server.texts().len(), before);
    run(&tree, &[]);
    assert_eq!(search(&tree).1, ["vectors: ollama/n"]);
    // The vectors of the first one still exist.
    choose(&tree, "ollama", "m", &server.here());
    assert_eq!(search(&tree).1, ["vectors: ollama/m"]);
    // The same name with another dimension is another model, too.
    server.mood(Mood::Dimension(3072));
    assert!(run(&tree, &[]).starts_with("12 chunks embedded"));
    let (hits, notes) = search(&tree);
    assert_eq!((hits[0].as_str(), notes), ("src/daisy.py:6", vec!["vectors: ollama/m".to_owned()]));
}

#[test]
fn no_connection_is_opened_without_a_yes() {
    let server = Server::new();
    let tree = tree(&server);
    choose(&tree, "openai", "m", &server.elsewhere());
    let with_key = |args: &[&str]| -> Command {
        let mut command = tree.command(args);
        command.env("OPENAI_API_KEY", KEY);
        command
    };
    let out = |args: &[&str]| with_key(args).output().expect("the command starts");
    let refused = out(&["embed", "run"]);
    assert_eq!(refused.status.code(), Some(4), "{}", said(&refused));
    let answered = out(&["search", QUESTION]);
    let note = "vectors: built-in model; nothing was sent: openai at ";
    assert!(said(&answered).contains(note), "{}", said(&answered));
    out(&["context", QUESTION]);
    assert_eq!(server.connections(), 0);

    assert!(out(&["embed", "allow"]).status.success());
    assert_eq!(server.connections(), 0, "a yes is no request");
    let ran = out(&["embed", "run"]);
    assert!(ran.status.success(), "{}", said(&ran));
    let answered = out(&["search", QUESTION]);
    assert!(said(&answered).contains("vectors: openai/m"), "{}", said(&answered));

    // Everything is embedded, but no query leaves the machine after the consent is revoked.
    assert!(out(&["embed", "forget"]).status.success());
    let before = server.connections();
    assert!(before > 0);
    let answered = out(&["search", QUESTION]);
    assert!(said(&answered).contains(note), "{}", said(&answered));
    assert_eq!(out(&["embed", "run"]).status.code(), Some(4));
    assert_eq!(server.connections(), before);
}

#[test]
fn a_provider_the_repository_names_is_not_asked() {
    let server = Server::new();
    let tree = tree(&server);
    run(&tree, &[]);
    std::fs::remove_file(tree.root().join("../home/.config/orient/config.toml")).expect("it was there");
    let chosen = format!("[embed]\nprovider = 'ollama'\nmodel = 'm'\nurl = '{}'\n", server.here());
    tree.write(".orient.toml", chosen);
    let before = server.connections();
    let (_, notes) = search(&tree);
    assert!(!notes.iter().any(|note| note.contains("ollama")), "{notes:?}");
    let said = text(&tree.run(&["search", QUESTION]).stderr);
    assert!(said.contains("embed.model, embed.provider and 1 more are ignored in "), "{said}");
    assert_eq!(tree.run(&["embed", "run"]).status.code(), Some(2), "there is nothing to run");
    assert_eq!(server.connections(), before);
}

#[test]
fn the_key_is_sent_and_neither_shown_nor_kept() {
    let server = Server::new();
    let tree = tree(&server);
    choose(&tree, "openai", "m", &server.elsewhere());
    let mut printed = Vec::new();
    let mut out = |args: &[&str]| {
        let output = tree.command(args).env("OPENAI_API_KEY", KEY).output().expect("the command starts");
        printed.extend([output.stdout, output.stderr].concat());
    };
    out(&["embed", "allow"]);
    out(&["embed", "run"]);
    out(&["embed", "run", "--json"]);
    out(&["search", QUESTION, "--explain"]);
    server.mood(Mood::Echoes);
    out(&["search", QUESTION, "--json"]);
    out(&["search", "windfall", "--json"]);
    tree.write("src/new.py", "def newly_made(): pass\n");
    out(&["embed", "run"]);
    out(&["embed", "status", "--json"]);
    out(&["dump"]);
    assert!(server.keys().iter().all(|key| key.as_deref() == Some(&format!("Bearer {KEY}"))), "it was used");
    let part = &KEY.as_bytes()[3..12];
    assert!(text(&printed).contains("Bearer …"), "the server quoted it: {}", text(&printed));
    assert!(!holds(&printed, part), "{}", text(&printed));
    Sandbox::assert_nowhere(tree.store(), part);
    Sandbox::assert_nowhere(tree.root(), part);
}

#[test]
fn progress_names_chunks_and_what_is_left() {
    let server = Server::new();
    let tree = tree(&server);
    let status = tree.json(&["embed", "status", "--json"]);
    assert_eq!(status["data"]["embedded"], Value::Null, "there is no index yet: {status}");
    tree.run(&["index"]);
    let status = tree.json(&["embed", "status", "--json"]);
    assert_eq!(status["data"]["embedded"]["chunks"], 0, "{status}");
    assert_eq!(status["data"]["embedded"]["total"], 12, "{status}");
    let ran = tree.json(&["embed", "run", "--json"]);
    assert_eq!(ran["data"]["run"]["chunks"], 12, "{ran}");
    assert_eq!(ran["data"]["embedded"]["chunks"], 12, "{ran}");
}

#[cfg(target_os = "linux")]
#[test]
fn watching_embeds_in_the_background() {
    let server = Server::new();
    let tree = tree(&server);
    let mut child = tree.command(&["watch"]).stdout(Stdio::null()).spawn().expect("the command starts");
    let begun = Instant::now();
    while search(&tree).1 != ["vectors: ollama/m"] {
        assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", search(&tree).1);
        std::thread::sleep(Duration::from_millis(100));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("there is a kill").success());
    assert!(child.wait().expect("it ends").success());
}
