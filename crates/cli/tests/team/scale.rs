//! A server with many repositories: answers about each are those of a local index.
//!
//! By default with the fixture repository only. For more, and with an optimised program:
//!
//! ```sh
//! ORIENT_TEAM_REPOSITORIES=DIR ORIENT_TEAM_COUNT=40 ORIENT_TEAM_PROGRAM=target/release/orient \
//!   cargo test -p orient --test team -- scale --nocapture
//! ```

use crate::server::{NodeProcess, Team, team};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Number of symbols and of questions that are asked about in each repository.
const SYMBOLS: usize = 12;
/// The kinds of symbols that are listed.
const KINDS: &[&str] = &[
    "function",
    "method",
    "constructor",
    "class",
    "struct",
    "interface",
    "trait",
    "enum",
    "type",
    "constant",
    "variable",
    "field",
];
const QUESTIONS: &[&str] =
    &["read configuration", "handle request error", "parse arguments", "test setup", "main entry point"];

/// The directories with repositories, or packages without history, that the environment names; else the fixture.
fn directories() -> Vec<PathBuf> {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/demo");
    let parent = std::env::var("ORIENT_TEAM_REPOSITORIES").unwrap_or_else(|_| fixtures.to_owned());
    let count = std::env::var("ORIENT_TEAM_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(40);
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    found.sort();
    found.truncate(count);
    found
}

/// Copies a directory's files into a repository of the team and commits them; returns its name.
fn add(team: &Team, directory: &Path) -> String {
    let name = directory.file_name().and_then(|name| name.to_str()).expect("a name");
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect();
    let to = team.path(&name);
    if directory.join(".git").exists() {
        let tracked = orient_testkit::git(directory, &["ls-files", "-z"]);
        // Attributes convert line endings in a checkout; a server has the contents that git stores.
        let is_copied = |path: &&str| directory.join(path).is_file() && !path.ends_with(".gitattributes");
        for path in tracked.split('\0').filter(is_copied) {
            let to = to.join(path);
            std::fs::create_dir_all(to.parent().expect("a directory")).expect("a directory");
            std::fs::copy(directory.join(path), &to).expect("a file");
        }
    } else {
        copy(directory, &to);
    }
    team.commit(&name, &[]);
    team.succeeds(&["add", to.to_str().expect("a name"), "--name", &name]);
    name
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a directory");
    for entry in std::fs::read_dir(from).expect("a directory").flatten() {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            std::fs::copy(&path, &to).expect("a file");
        }
    }
}

/// A node that redacts nothing, as commands do.
fn serve(team: &Team) -> NodeProcess {
    let mut command = team.command(&["team", "serve", "--listen", "127.0.0.1:0"]);
    let (child, address) = orient_testkit::start_server(command.env("ORIENT_SERVE_REDACT", "false"));
    NodeProcess::of(child, address)
}

/// Names of functions of a repository, spread over all of them.
fn some_symbols(team: &Team, name: &str) -> Vec<String> {
    let listed = team.local(name, &["symbols", "--kind", "function", "--limit", "2000"]);
    let handles: Vec<String> = listed["symbols"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|symbol| symbol["handle"].as_str().map(str::to_owned))
        .collect();
    let step = handles.len().div_ceil(SYMBOLS).max(1);
    handles.into_iter().step_by(step).collect()
}

/// Compares everything that a dump consists of, callers and the order of hits; returns the number of compared answers. The token is for this
/// repository only: with another one that requires its package, callers there would be part of the answer.
fn compare(team: &Team, node: &NodeProcess, name: &str) -> usize {
    let token = team.succeeds(&["tokens", "create", name, "--repository", name, "--per-minute", "1000000"]);
    let mut compared = 0;
    let mut same = |typed: &[&str], arguments: &Value| {
        let answered = node.data(&token, typed[0], Some(name), arguments);
        assert_eq!(answered, team.local(name, typed), "{name}: {typed:?}");
        compared += 1;
    };
    same(&["files"], &json!({}));
    same(&["edges"], &json!({}));
    for kind in KINDS {
        same(&["symbols", "--kind", kind, "--limit", "100000"], &json!({ "kind": [kind], "limit": 100_000 }));
    }
    for handle in some_symbols(team, name) {
        same(&["callers", &handle], &json!({ "symbol": handle }));
    }
    for question in QUESTIONS {
        same(&["search", question], &json!({ "query": [question] }));
    }
    compared
}

#[test]
fn answers_about_each_of_many_repositories_are_those_of_local_indexes() {
    let team = team!();
    let names: Vec<String> = directories().iter().map(|directory| add(&team, directory)).collect();
    let begun = Instant::now();
    team.work();
    eprintln!("{} repositories published in {:.1?}", names.len(), begun.elapsed());
    let node = serve(&team);
    let compared: usize = names.iter().map(|name| compare(&team, &node, name)).sum();
    assert!(compared >= names.len() * 8, "{compared}");
    let lines = team.database.sql("SELECT sum(files), sum(bytes) FROM orient.branch");
    eprintln!("{compared} equal answers about {} repositories ({lines} paths and bytes)", names.len());
}
