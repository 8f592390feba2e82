//! Remote mode: a command answers for its own directory, and a team server for the rest.

use crate::server::{Team, team, text};
use std::io::Read;
use std::net::TcpListener;
use std::time::{Duration, Instant};

const OWN: &[(&str, &str)] = &[("mine.py", "def shared_name():\n    return \"only here\"\n")];

/// Runs a command in a directory with a server; returns output, warnings and time.
fn ask(team: &Team, server: &str, token: &str, arguments: &[&str]) -> (String, String, Duration) {
    let root = team.path("own");
    let remote = format!("remote.url=http://{server}");
    let global = ["--root", root.to_str().expect("a name"), "--set", &remote];
    let begun = Instant::now();
    let mut command = team.command(&[arguments, &global].concat());
    let output = command.env("ORIENT_TEAM_TOKEN", token).output().expect("it runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr), begun.elapsed())
}

#[test]
fn other_repositories_are_answered_by_the_server() {
    let team = team!();
    team.commit("own", OWN);
    team.publish("library", &[("lib.py", "def shared_name():\n    return 1\n")]);
    let (token, node) = (team.token(&["library"]), team.serve());
    let (out, _, _) = ask(&team, node.address(), &token, &["symbols", "shared_name"]);
    let local = out.find("mine.py").expect("the local answer");
    let heading = out.find("other repositories, on http://").expect("a heading");
    let remote = out.find("library/lib.py").expect("the answer of the server");
    assert!(local < heading && heading < remote, "{out}");
    let (_, warning, _) = ask(&team, node.address(), "ort_wrong", &["symbols", "shared_name"]);
    assert!(warning.contains("it refuses the token"), "{warning}");
}

#[test]
fn without_the_server_the_answer_is_local_and_says_so() {
    let team = team!();
    team.commit("own", OWN);
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = free.local_addr().expect("an address").to_string();
    ask(&team, &address, "ort_x", &["status"]);
    drop(free);
    let (out, warning, _) = ask(&team, &address, "ort_x", &["symbols", "shared_name"]);
    assert!(out.contains("mine.py") && !out.contains("other repositories"), "{out}");
    assert!(warning.contains("is not reachable") && warning.contains("this machine only"), "{warning}");
}

#[test]
fn a_slow_server_delays_an_answer_by_two_seconds_and_gets_only_the_question() {
    let team = team!();
    team.commit("own", OWN);
    let slow = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = slow.local_addr().expect("an address").to_string();
    let received = std::thread::spawn(move || {
        let (mut stream, _) = slow.accept().expect("a connection");
        let mut request = Vec::new();
        let mut part = [0; 4096];
        while let Ok(read) = stream.read(&mut part) {
            request.extend_from_slice(&part[..read]);
            if read == 0 {
                break;
            }
        }
        text(&request)
    });
    ask(&team, "127.0.0.1:9", "ort_x", &["symbols", "shared_name"]);
    let (out, warning, took) =
        ask(&team, &address, "ort_x", &["symbols", "shared_name", "--kind", "function"]);
    assert!(out.contains("mine.py") && warning.contains("is not reachable"), "{out}{warning}");
    assert!(took >= Duration::from_secs(2) && took < Duration::from_secs(10), "{took:?}");
    let request = received.join().expect("a request");
    let body = request.split("\r\n\r\n").nth(1).unwrap_or_default();
    assert_eq!(body, r#"{"operation":"symbols","words":["shared_name","--kind","function"]}"#);
}
