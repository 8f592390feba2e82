//! A worker, a node and a database whose disk is full: nothing is half published, no answer is wrong, and all recover.

use crate::server::{NodeProcess, Team, team, text};
use serde_json::json;
use std::fmt::Write;
use std::process::{Command, Output};

/// Simulates a full disk on any machine: files may grow to a few kilobytes only. Ignoring the signal makes writes fail instead of killing
/// the process.
const LITTLE_GROWTH: &str = "trap '' XFSZ; ulimit -f 16; exec \"$@\"";

const FILES: &[(&str, &str)] = &[("a.py", "def first():\n    return 1\n")];

/// A file that is larger than files may become.
fn functions(name: &str) -> String {
    let mut text = String::new();
    for number in 0..2000 {
        writeln!(text, "def {name}_{number}():\n    return {number}\n\n").expect("a string");
    }
    text
}

/// The same command with a full disk.
fn with_full_disk(command: &Command) -> Command {
    let mut limited = Command::new("sh");
    limited.args(["-c", LITTLE_GROWTH, "sh"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        limited.env(name, value.unwrap_or_default());
    }
    limited
}

fn work_with_full_disk(team: &Team) -> Output {
    with_full_disk(&team.command(&["team", "worker", "--until-idle", "--lease", "3"]))
        .output()
        .expect("it runs")
}

fn symbols(node: &NodeProcess, token: &str, name: &str) -> (u16, usize) {
    let (status, answer) = node.call(token, "symbols", Some("shop"), &json!({ "name": name }));
    (status, answer["answer"]["data"]["symbols"].as_array().map_or(0, Vec::len))
}

#[test]
fn a_worker_with_a_full_disk_publishes_nothing_and_its_job_is_done_later() {
    let team = team!();
    team.publish("shop", FILES);
    let (token, node) = (team.token(&["shop"]), team.serve());
    let many = functions("second");
    team.commit("shop", &[("b.py", &many), ("c.py", "def second():\n    return 2\n")]);
    team.succeeds(&["reindex", "shop"]);
    let output = work_with_full_disk(&team);
    let status = team.succeeds(&["status"]);
    assert!(status.contains("generation 1"), "{status}{}", text(&output.stderr));
    assert!(status.contains("failed") || status.contains("waiting"), "the job is not lost: {status}");
    assert_eq!(symbols(&node, &token, "first"), (200, 1), "the published generation is answered from");
    assert_eq!(symbols(&node, &token, "second"), (200, 0));
    assert!(team.succeeds(&["backup-check"]).contains("consistent"), "nothing is half written");
    team.update("shop");
    assert_eq!(symbols(&node, &token, "second"), (200, 1), "with room it is published");
}

#[test]
fn a_node_with_a_full_disk_gives_no_wrong_answer() {
    let team = team!();
    let many = functions("many");
    team.publish("shop", &[FILES, &[("b.py", &many)]].concat());
    let token = team.token(&["shop"]);
    let data = team.path("empty-data");
    let mut command = team.command(&["team", "serve", "--listen", "127.0.0.1:0"]);
    command.env("ORIENT_TEAM_DATA", &data);
    let (child, address) = orient_testkit::start_server(&mut with_full_disk(&command));
    let node = NodeProcess::of(child, address);
    for _ in 0..3 {
        let (status, found) = symbols(&node, &token, "first");
        assert!(status >= 500 || (status, found) == (200, 1), "{status} {found}");
    }
    assert_eq!(node.request("GET", "/healthz", None, "").0, 200, "it still runs");
    drop(node);
    let node = team.serve_with(&data);
    assert_eq!(symbols(&node, &token, "many_1999"), (200, 1), "with room it answers");
}

/// Text that cannot be compressed to much less than its size.
fn noise(seed: u64, bytes: usize) -> String {
    let mut state = seed | 1;
    let mut digits = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b' ' + (state % 90) as u8)
    });
    (0..bytes / 64).map(|_| digits.by_ref().take(63).chain(['\n']).collect::<String>()).collect()
}

#[test]
fn a_database_with_a_full_disk_keeps_the_published_generation_and_goes_on_with_space() {
    const SMALL: u64 = 16 << 20;
    let Some(team) = Team::with_small_disk(SMALL) else { return };
    team.publish("shop", FILES);
    let (token, node) = (team.token(&["shop"]), team.serve());
    let large: Vec<(String, String)> =
        (1..=4).map(|number| (format!("{number}.txt"), noise(number, 3 << 20))).collect();
    let large: Vec<(&str, &str)> = large.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    team.commit("shop", &[&large[..], &[("c.py", "def second():\n    return 2\n")]].concat());
    team.succeeds(&["reindex", "shop"]);
    let output = team.run(&["worker", "--until-idle", "--lease", "3"]);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(said.contains("the database has no space left"), "{said}");
    assert!(team.succeeds(&["status"]).contains("generation 1"), "nothing is published");
    assert_eq!(symbols(&node, &token, "first"), (200, 1), "the published generation is answered from");
    assert_eq!(symbols(&node, &token, "second"), (200, 0));
    assert!(team.succeeds(&["backup-check"]).contains("consistent"), "nothing is half written");
    team.database.grow_disk(SMALL * 16);
    team.update("shop");
    assert!(team.succeeds(&["status"]).contains("generation 2"), "with space it is published");
    assert_eq!(symbols(&node, &token, "second"), (200, 1));
}
