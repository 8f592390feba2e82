//! Remote mode of agents: `orient mcp` and `orient serve` answer for their own directory, and a team server for the rest.

use crate::server::{Team, request, team};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

const OWN: &[(&str, &str)] = &[("mine.py", "def shared_name():\n    return \"only here\"\n")];
const LIBRARY: &[(&str, &str)] =
    &[("lib.py", "def shared_name():\n    return only_there()\n\n\ndef only_there():\n    return 1\n")];
/// How long an answer may take when the server does not answer.
const LIMIT: Duration = Duration::from_millis(2500);
/// How soon a server that is back is used again.
const USED_AGAIN: Duration = Duration::from_secs(30);

/// An agent with its own server over stdio.
struct Agent {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// What an agent is told.
struct Told {
    text: String,
    is_error: bool,
    took: Duration,
}

impl Agent {
    fn start(team: &Team, server: &str, token: &str) -> Self {
        let mut command = team.command(&["mcp", "--tools", "symbols,callers,search,outline"]);
        command.args(["--root".as_ref(), team.path("own").as_os_str()]);
        command.args(["--set", &format!("remote.url=http://{server}")]).env("ORIENT_TEAM_TOKEN", token);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let (input, output) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let mut agent = Self { child, input, output: BufReader::new(output) };
        agent.request("initialize", &hello());
        agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("it reads");
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("it answers") > 0, "it ended");
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if message["id"] == 1 {
                return message["result"].clone();
            }
        }
    }

    fn ask(&mut self, tool: &str, arguments: &Value) -> Told {
        let begun = Instant::now();
        let result = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        told(&result, begun)
    }

    fn symbols(&mut self) -> Told {
        self.ask("symbols", &json!({ "name": "shared_name" }))
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn hello() -> Value {
    json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } })
}

fn told(result: &Value, begun: Instant) -> Told {
    let text = result["content"][0]["text"].as_str().expect("text").to_owned();
    Told { text, is_error: result["isError"] == true, took: begun.elapsed() }
}

/// The user's repository is on the server too, but is not repeated.
fn with_two_repositories() -> Option<(Team, String)> {
    let team = Team::new()?;
    team.publish("own", OWN);
    team.publish("library", LIBRARY);
    let token = team.token(&["own", "library"]);
    Some((team, token))
}

fn assert_complete(text: &str) {
    let local = text.find("mine.py").unwrap_or_else(|| panic!("the local answer: {text}"));
    let heading = text.find("other repositories, on http://").unwrap_or_else(|| panic!("a heading: {text}"));
    let remote = text.find("library/lib.py").unwrap_or_else(|| panic!("the answer of the server: {text}"));
    assert!(local < heading && heading < remote, "{text}");
    assert!(!text.contains("own/mine.py"), "the server does not repeat this repository: {text}");
}

#[test]
fn an_agent_gets_one_answer_for_its_repository_and_all_others() {
    let Some((team, token)) = with_two_repositories() else { return };
    let node = team.serve();
    let mut agent = Agent::start(&team, node.address(), &token);
    let answer = agent.symbols();
    assert_complete(&answer.text);
    assert!(!answer.is_error);
    let fences = answer.text.matches("```").count();
    assert!(fences >= 4, "what the server sends is fenced like the repository: {}", answer.text);
    let elsewhere = agent.ask("callers", &json!({ "symbol": "only_there" }));
    assert!(!elsewhere.is_error && elsewhere.text.contains("library/lib.py"), "{}", elsewhere.text);
    assert!(
        elsewhere.text.contains("this repository has no answer") || elsewhere.text.contains("only_there")
    );
    let local = agent.ask("outline", &json!({ "path": "mine.py" }));
    assert!(
        !local.text.contains("other repositories"),
        "only questions that many can answer: {}",
        local.text
    );
    let mut refused = Agent::start(&team, node.address(), "ort_wrong");
    let answer = refused.symbols();
    assert!(
        answer.text.contains("mine.py") && answer.text.contains("it refuses the token"),
        "{}",
        answer.text
    );
}

#[test]
fn a_server_for_many_agents_asks_the_team_server_too() {
    let Some((team, token)) = with_two_repositories() else { return };
    let node = team.serve();
    let remote = format!("remote.url=http://{}", node.address());
    let root = team.path("own");
    let root = root.to_str().expect("a name");
    let mut command = team.command(&[
        "serve",
        "--root",
        root,
        "--listen",
        "127.0.0.1:0",
        "--tools",
        "symbols",
        "--set",
        &remote,
    ]);
    let (mut child, address) = orient_testkit::start_server(command.env("ORIENT_TEAM_TOKEN", &token));
    let send = |headers: &str, message: &Value| {
        request(&address, "POST", "/mcp", headers, &message.to_string()).expect("it answers")
    };
    let begin = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello() });
    let (_, head, _) = send("", &begin);
    let session = head.lines().find(|line| line.to_ascii_lowercase().starts_with("mcp-session-id:"));
    let session = session.expect("a session").to_owned();
    send(&session, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let params = json!({ "name": "symbols", "arguments": { "name": "shared_name" } });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let (_, _, body) = send(&session, &call);
    let _ = (child.kill(), child.wait());
    let json = &body[body.find('{').expect("an object")..=body.rfind('}').expect("an object")];
    let result: Value = serde_json::from_str(json).expect("JSON");
    assert_complete(result["result"]["content"][0]["text"].as_str().expect("text"));
    let data = &result["result"]["structuredContent"]["data"];
    assert_eq!(data["remote"]["repositories"], json!(["library"]), "programs that read data get it too");
}

#[test]
fn an_agent_is_answered_while_the_server_is_dead_and_uses_it_again_when_it_is_back() {
    let Some((team, token)) = with_two_repositories() else { return };
    let mut node = team.serve();
    let address = node.address().to_owned();
    let mut agent = Agent::start(&team, &address, &token);
    assert_complete(&agent.symbols().text);

    // It takes the question and dies.
    node.signal("-STOP");
    let answer = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(500));
            node.kill();
        });
        agent.symbols()
    });
    let is_local =
        |answer: &Told| answer.text.contains("mine.py") && answer.text.contains("this machine only");
    assert!(is_local(&answer) && answer.took < LIMIT, "{:?}: {}", answer.took, answer.text);
    let next = agent.symbols();
    assert!(is_local(&next), "{}", next.text);
    assert!(next.took < LIMIT / 2, "a server that is known to be dead delays nothing: {:?}", next.took);

    let _again = team.serve_more(&["--listen", &address]);
    let back = Instant::now();
    let mut answer = agent.symbols();
    while is_local(&answer) && back.elapsed() < USED_AGAIN {
        std::thread::sleep(Duration::from_millis(200));
        answer = agent.symbols();
    }
    assert_complete(&answer.text);
    assert!(back.elapsed() < USED_AGAIN);
    eprintln!("used again after {:?}", back.elapsed());
}

#[test]
fn a_server_that_hangs_delays_one_answer_only() {
    let Some((team, token)) = with_two_repositories() else { return };
    let node = team.serve();
    let mut agent = Agent::start(&team, node.address(), &token);
    assert_complete(&agent.symbols().text);
    node.signal("-STOP");
    let (first, second) = (agent.symbols(), agent.symbols());
    assert!(first.text.contains("this machine only") && second.text.contains("this machine only"));
    assert!(first.took < LIMIT && second.took < LIMIT / 2, "{:?}, {:?}", first.took, second.took);
    node.signal("-CONT");
}

#[test]
fn a_command_in_a_clone_is_not_told_about_its_own_repository() {
    let team = team!();
    team.publish("own", OWN);
    team.publish("library", LIBRARY);
    let clone = team.clone_of("own", "clone");
    let token = team.token(&["own", "library"]);
    let node = team.serve();
    let remote = format!("remote.url=http://{}", node.address());
    let ask = |token: &str| {
        let root = clone.to_str().expect("a name");
        let mut command = team.command(&["--root", root, "--set", &remote, "symbols", "shared_name"]);
        let output = command.env("ORIENT_TEAM_TOKEN", token).output().expect("it runs");
        (crate::server::text(&output.stdout), crate::server::text(&output.stderr))
    };
    assert_complete(&ask(&token).0);
    let (out, notes) = ask(&team.token(&["own"]));
    assert!(out.contains("mine.py") && out.contains("nothing was found"), "{out}");
    assert!(notes.contains("there is no other repository"), "{notes}");
}
