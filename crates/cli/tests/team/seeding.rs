//! A new clone starts from the facts that a team server has published, and parses only what differs.

use crate::server::{Team, team, text};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const FILES: &[(&str, &str)] = &[
    ("shop.py", "from prices import total\n\n\ndef checkout(cart):\n    return total(cart)\n"),
    ("prices.py", "def total(cart):\n    return sum(cart)\n"),
    ("cart.go", "package cart\n\nfunc Add(a int, b int) int { return a + b }\n"),
    ("README.md", "# Shop\n\nSells things.\n"),
];

/// Runs a command on a directory, with a store and a server; returns what it prints, and its notes.
fn run(team: &Team, root: &Path, store: &str, remote: &[&str], words: &[&str]) -> (String, String) {
    let store = team.path(store);
    let global = ["--root", root.to_str().expect("a name"), "--store", store.to_str().expect("a name")];
    let output = team.command(&[&global, remote, words].concat()).output().expect("it runs");
    assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

/// Indexes a clone with the server; returns the number of parsed files and the notes, after comparing the index with one that was
/// made without the server.
fn seeded(team: &Team, root: &Path, name: &str, server: &str, token: &str) -> (u64, String) {
    let url = format!("remote.url=http://{server}");
    let remote = ["--set", url.as_str()];
    // The token is in a file, as users have it.
    let file = team.path(&format!("{name}.token"));
    std::fs::write(&file, token).expect("a file");
    let token_file = format!("remote.token_file={}", file.display());
    let remote = [&remote[..], &["--set", &token_file]].concat();
    let (out, _) = run(team, root, &format!("{name}-seeded"), &remote, &["index", "--json"]);
    let report: Value = serde_json::from_str(&out).expect("JSON");
    let dump = |store: &str| run(team, root, &format!("{name}-{store}"), &[], &["dump"]).0;
    let (seeded, fresh) = (dump("seeded"), dump("fresh"));
    assert_eq!(seeded, fresh, "the index is that of a first run");
    assert!(!fresh.is_empty());
    (report["data"]["parsed"].as_u64().expect("a number"), report["notes"].to_string())
}

#[test]
fn a_clone_parses_only_what_the_server_does_not_have() {
    let team = team!();
    team.publish("shop", FILES);
    let (token, node) = (team.token(&["shop"]), team.serve());
    let clone = team.clone_of("shop", "clone");
    let (parsed, notes) = seeded(&team, &clone, "equal", node.address(), &token);
    assert_eq!(parsed, 0, "{notes}");
    assert!(notes.contains("started from the facts of shop on http://"), "{notes}");

    std::fs::write(clone.join("prices.py"), "def total(cart):\n    return sum(cart) + 1\n").expect("a file");
    let (parsed, _) = seeded(&team, &clone, "changed", node.address(), &token);
    assert_eq!(parsed, 1, "the file that differs");

    // The server has a later commit, and the clone an address that the server does not know.
    team.commit("shop", &[("new.py", "def new():\n    return 1\n")]);
    team.update("shop");
    let git = |words: &[&str]| {
        assert!(Command::new("git").args(words).current_dir(&clone).status().expect("git runs").success());
    };
    let (parsed, _) = seeded(&team, &clone, "behind", node.address(), &token);
    assert_eq!(parsed, 1, "the nearest published commit has the other files");
    git(&["remote", "set-url", "origin", "ssh://git@elsewhere.example/shop.git"]);
    let (parsed, notes) = seeded(&team, &clone, "unknown", node.address(), &token);
    assert!(parsed > 1 && !notes.contains("team server"), "a repository that it does not have: {notes}");
}

#[test]
fn without_facts_a_clone_is_parsed_with_a_note() {
    let team = team!();
    team.publish("shop", FILES);
    let clone = team.clone_of("shop", "clone");
    let (other, node) = (team.token_without_repositories(), team.serve());
    let (parsed, notes) = seeded(&team, &clone, "forbidden", node.address(), &other);
    assert!(parsed > 1 && !notes.contains("facts"), "it does not exist for this token: {notes}");
    let (parsed, notes) = seeded(&team, &clone, "refused", node.address(), "ort_wrong");
    assert!(parsed > 1 && notes.contains("it refuses the token"), "{notes}");
    let (parsed, notes) = seeded(&team, &clone, "away", "127.0.0.1:9", &other);
    assert!(parsed > 1 && notes.contains("all files were parsed"), "{notes}");
}
