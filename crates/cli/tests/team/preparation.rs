//! When a node indexes repositories: in advance, and in the background of questions that do not wait for all of them.

use crate::server::{NodeProcess, Team, team};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const REPOSITORIES: &[&str] = &["blue", "green", "red"];

fn publish(team: &Team) {
    for name in REPOSITORIES {
        team.commit(name, &[("paint.py", "def mix():\n    return 1\n")]);
        team.succeeds(&["add", team.path(name).to_str().expect("a name")]);
    }
    team.work();
}

/// A node that has no indexes yet.
fn new_node(team: &Team, options: &[&str]) -> NodeProcess {
    let data = team.path("data of a new node");
    let data = data.to_str().expect("a name");
    team.serve_more(&[&["--data", data], options].concat())
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_mins(1), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_question_names_the_repositories_that_are_not_ready() {
    let team = team!();
    publish(&team);
    let node = new_node(&team, &["--on-demand", "--wait", "0"]);
    let token = team.token(REPOSITORIES);
    let ask = || {
        let (status, answer) = node.call(&token, "symbols", None, &json!({ "name": "mix" }));
        assert_eq!(status, 200, "{answer}");
        answer
    };
    let first = ask();
    assert_eq!(first["answer"]["complete"], false, "{first}");
    let asked = first["repositories"].as_array().map_or(0, Vec::len);
    assert!((1..REPOSITORIES.len()).contains(&asked), "those that are ready answer: {first}");
    let reasons = first["answer"]["reasons"].to_string();
    let missing: Vec<&&str> = REPOSITORIES.iter().filter(|name| reasons.contains(**name)).collect();
    assert_eq!(missing.len() + asked, REPOSITORIES.len(), "{first}");
    until("all are ready in the end", || ask()["answer"]["complete"] == true);
    assert_eq!(ask()["repositories"], json!(REPOSITORIES));
}

#[test]
fn a_repository_is_prepared_before_it_is_asked_about() {
    let team = team!();
    publish(&team);
    let node = new_node(&team, &[]);
    let admin = team.succeeds(&["tokens", "create", "admin", "--all", "--admin"]);
    let metric = |name: &str| {
        let (_, page) = node.request("GET", "/metrics", Some(&admin), "");
        page.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok())
    };
    until("all are opened", || metric("orient_team_open_trees ") == Some(3));
    team.commit("red", &[("paint.py", "def blend():\n    return 2\n")]);
    team.update("red");
    until("the new generation is opened too", || metric("orient_team_trees_opened ") == Some(4));
    let answer: Value = node.data(&admin, "symbols", Some("red"), &json!({ "name": "blend" }));
    assert_eq!(answer["symbols"][0]["path"], "paint.py");
    assert_eq!(metric("orient_team_trees_opened "), Some(4), "nothing was opened for the question");
}
