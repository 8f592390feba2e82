//! Remote mode: a command answers for its own directory, and a team server for the rest.

use crate::server::{Team, team, text};
use serde_json::Value;
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
fn json_answers_are_followed_by_that_of_the_server() {
    let team = team!();
    team.commit("own", OWN);
    team.publish("library", &[("lib.py", "def shared_name():\n    return 1\n")]);
    let (token, node) = (team.token(&["library"]), team.serve());
    let json = |server: &str| {
        let (out, warning, _) = ask(&team, server, &token, &["symbols", "shared_name", "--json"]);
        let values = serde_json::Deserializer::from_str(&out).into_iter::<Value>();
        (values.collect::<Result<Vec<_>, _>>().expect("JSON"), warning)
    };
    let (values, _) = json(node.address());
    let [local, remote] = values.as_slice() else { panic!("two values: {values:?}") };
    assert_eq!(local["data"]["symbols"][0]["path"], "mine.py");
    let response = &remote["remote"]["response"];
    assert_eq!(response["repositories"], serde_json::json!(["library"]));
    assert_eq!(response["answer"]["data"]["symbols"][0]["path"], "library/lib.py");
    let (values, warning) = json("127.0.0.1:9");
    assert_eq!((values.len(), &values[0]["data"]), (2, &local["data"]));
    assert!(values[1]["remote"]["error"].as_str().is_some_and(|error| warning.contains(error)), "{warning}");
}

/// Asks a few times, because other work on the machine may delay one answer; returns the quickest.
fn quickest(asks: impl FnMut(usize) -> (String, String, Duration)) -> (String, String, Duration) {
    (0..3).map(asks).min_by_key(|(_, _, took)| *took).expect("three answers")
}

#[test]
fn a_server_that_hangs_or_dies_delays_an_answer_by_two_seconds_and_is_used_again() {
    const LIMIT: Duration = Duration::from_millis(2500);
    let team = team!();
    team.commit("own", OWN);
    team.publish("library", &[("lib.py", "def shared_name():\n    return 1\n")]);
    let token = team.token(&["library"]);
    let mut node = team.serve();
    let address = node.address().to_owned();
    let question = ["symbols", "shared_name"];
    let is_complete = |out: &str| out.contains("mine.py") && out.contains("library/lib.py");
    assert!(is_complete(&ask(&team, &address, &token, &question).0));

    node.signal("-STOP");
    let (out, warning, took) = quickest(|_| ask(&team, &address, &token, &question));
    assert!(out.contains("mine.py") && !out.contains("library/lib.py"), "{out}");
    assert!(warning.contains("this machine only") && took < LIMIT, "{took:?}: {warning}");
    node.signal("-CONT");
    assert!(is_complete(&ask(&team, &address, &token, &question).0), "it is used again");

    // It takes the question and dies.
    node.signal("-STOP");
    let (out, warning, took) = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(500));
            node.kill();
        });
        ask(&team, &address, &token, &question)
    });
    assert!(out.contains("mine.py") && warning.contains("this machine only"), "{out}{warning}");
    assert!(took < LIMIT, "{took:?}");
    let again = team.serve_more(&["--listen", &address]);
    assert!(is_complete(&ask(&team, again.address(), &token, &question).0), "it is used again");
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
    let mut sent: Value = serde_json::from_str(body).expect("JSON");
    let own =
        sent.as_object_mut().and_then(|sent| sent.remove("own")).expect("what identifies the repository");
    let is_key = |key: &Value| {
        let (kind, id) = key.as_str().and_then(|key| key.split_once(':')).expect("a key");
        matches!(kind, "address" | "commit") && id.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    assert!(own.as_array().is_some_and(|own| !own.is_empty() && own.iter().all(is_key)), "{own}");
    assert_eq!(
        sent,
        serde_json::json!({ "operation": "symbols", "words": ["shared_name", "--kind", "function"] })
    );
}
