//! Who may read what: tokens, and two tenants that must not see each other.

use crate::server::{NodeProcess, team};
use serde_json::{Value, json};

/// What only the other tenant may read.
const SECRET: &str = "zanzibar";

const OWN: &[(&str, &str)] = &[
    ("own.py", "def visible():\n    return helper()\n\n\ndef helper():\n    return 1\n"),
    ("pyproject.toml", "[project]\nname = \"own\"\n"),
];

const OTHER: &[(&str, &str)] = &[
    (
        "zanzibar.py",
        "from own import helper\n\n\ndef zanzibar():\n    return helper()\n\n\ndef visible():\n    return zanzibar()\n",
    ),
    ("pyproject.toml", "[project]\nname = \"zanzibar\"\ndependencies = [\"own\"]\n"),
];

/// Arguments that make each operation look for something of the other tenant.
fn attempts(operation: &orient_tools::Operation) -> Vec<Value> {
    let schema = operation.input_schema();
    let mut arguments = vec![json!({})];
    let names: Vec<&String> =
        schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name).collect();
    for text in ["visible", SECRET, "zanzibar/zanzibar.py", "../zanzibar/zanzibar.py", "zanzibar.py#zanzibar"]
    {
        let mut one = serde_json::Map::new();
        for name in &names {
            let property = &schema["properties"][name.as_str()];
            let is_list = property["type"] == "array" || property["type"][0] == "array";
            let subject = [
                "symbol", "name", "query", "path", "paths", "pattern", "from", "to", "glob", "target", "text",
            ];
            if subject.contains(&name.as_str()) {
                one.insert((*name).clone(), if is_list { json!([text]) } else { json!(text) });
            }
        }
        arguments.push(Value::Object(one));
    }
    arguments
}

#[test]
fn no_operation_reveals_the_repository_of_another_tenant() {
    let team = team!();
    team.publish("own", OWN);
    team.publish(SECRET, OTHER);
    let node = team.serve();
    let many = ["--per-minute", "100000"];
    let create =
        |name| team.succeeds(&[&["tokens", "create", name, "--repository", name], &many[..]].concat());
    let (token, other) = (create("own"), create(SECRET));
    let sees =
        |token: &str| node.data(token, "symbols", None, &json!({ "name": SECRET }))["symbols"].to_string();
    assert!(sees(&other).contains(SECRET), "its owner finds it");
    let mut count = 0;
    for operation in orient_tools::OPERATIONS {
        for arguments in attempts(operation) {
            for repository in [None, Some("own")] {
                let (_, answer) = node.call(&token, operation.name, repository, &arguments);
                let shown = without_echo(&answer.to_string(), &arguments);
                assert!(
                    !shown.contains(SECRET),
                    "{} {arguments} in {repository:?}: {answer}",
                    operation.name
                );
                count += 1;
            }
            // A repository that exists and one that does not are the same to a caller that may read neither.
            let ask = |name: &str| {
                let (status, answer) = node.call(&token, operation.name, Some(name), &arguments);
                (status, answer.to_string().replace(name, "*"))
            };
            assert_eq!(ask(SECRET), ask("missing0"), "{} {arguments}", operation.name);
            assert_eq!(ask("zanzibar@main"), ask("missing0@main"), "{} {arguments}", operation.name);
        }
    }
    assert!(count >= 60, "{count} attempts");
    let (_, listed) = node.request("GET", "/v1/repositories", Some(&token), "");
    assert!(listed.contains("own") && !listed.contains(SECRET), "{listed}");
    assert!(mcp(&node, &token).iter().all(|answer| !answer.contains(SECRET)));
    let audited = team
        .database
        .sql("SELECT count(*) FROM orient.audit WHERE 'zanzibar' = ANY(repositories) AND token = 1");
    assert_eq!(audited, "0", "the index of another tenant was not even opened");
}

/// An answer without the caller's own words.
fn without_echo(answer: &str, arguments: &Value) -> String {
    let mut answer = answer.to_owned();
    for text in arguments.as_object().into_iter().flatten().map(|(_, value)| value) {
        let text = text.as_str().or_else(|| text[0].as_str()).unwrap_or_default();
        if text.len() > 2 {
            answer = answer.replace(text, "*");
            answer = answer.replace(text.rsplit(['/', '#']).next().unwrap_or(text), "*");
        }
    }
    answer
}

/// Answers of an MCP session: tools, the list of repositories, a search, resources, completions.
fn mcp(node: &NodeProcess, token: &str) -> Vec<String> {
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let requests = [
        ("initialize", params),
        ("tools/list", json!({})),
        ("tools/call", json!({ "name": "repositories", "arguments": {} })),
        ("tools/call", json!({ "name": "search", "arguments": { "query": "helper", "repository": "own" } })),
        ("tools/call", json!({ "name": "search", "arguments": { "query": "visible" } })),
        ("resources/list", json!({})),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/resource", "uri": "orient://file/{+path}" }, "argument": { "name": "path", "value": "z" } }),
        ),
    ];
    let ask = |(id, (method, params)): (usize, &(&str, Value))| {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        node.request("POST", "/mcp", Some(token), &message.to_string()).1
    };
    requests.iter().enumerate().map(ask).collect()
}

#[test]
fn a_request_needs_a_valid_token() {
    let team = team!();
    team.publish("own", OWN);
    let (token, node) = (team.token(&["own"]), team.serve());
    let status = |token: Option<&str>| node.request("GET", "/v1/repositories", token, "").0;
    assert_eq!((status(None), status(Some("ort_wrong")), status(Some(&token))), (401, 401, 200));
    assert_eq!(node.request("GET", "/healthz", None, "").0, 200);
    assert_eq!(node.request("GET", "/readyz", None, "").0, 200);
    assert_eq!(node.request("GET", "/metrics", Some(&token), "").0, 403);
    let stored =
        team.database.sql("SELECT count(*) FROM orient.token WHERE encode(hash, 'escape') LIKE '%ort_%'");
    assert_eq!(stored, "0", "only hashes are stored");
    let rotated = team.succeeds(&["tokens", "rotate", "1"]);
    assert_eq!((status(Some(&token)), status(Some(&rotated))), (401, 200));
    team.succeeds(&["tokens", "revoke", "1"]);
    assert_eq!(status(Some(&rotated)), 401, "at once");
    let admin = team.succeeds(&["tokens", "create", "ops", "--all", "--admin"]);
    let (code, page) = node.request("GET", "/metrics", Some(&admin), "");
    assert!(code == 200 && page.contains("orient_team_jobs_waiting 0"), "{page}");
    let expired = team.succeeds(&["tokens", "create", "old", "--all", "--days", "0"]);
    assert_eq!(status(Some(&expired)), 401);
    let slow = team.succeeds(&["tokens", "create", "slow", "--all", "--per-minute", "2"]);
    assert_eq!((status(Some(&slow)), status(Some(&slow)), status(Some(&slow))), (200, 200, 429));
}

#[test]
fn questions_are_recorded() {
    let team = team!();
    team.publish("own", OWN);
    let (token, node) = (team.token(&["own"]), team.serve());
    node.data(&token, "callers", Some("own"), &json!({ "symbol": "helper" }));
    let row = team.database.sql("SELECT name, operation, question, repositories, outcome FROM orient.audit");
    assert_eq!(row, r#"test|callers|{"symbol":"helper"}|{own}|ok"#);
}

#[test]
fn a_repository_that_is_removed_is_gone_at_once() {
    let team = team!();
    team.publish("own", OWN);
    let node = team.serve();
    let token = team.succeeds(&["tokens", "create", "all", "--all"]);
    assert_eq!(node.call(&token, "symbols", Some("own"), &json!({ "name": "helper" })).0, 200);
    team.succeeds(&["remove", "own"]);
    assert_eq!(node.call(&token, "symbols", Some("own"), &json!({ "name": "helper" })).0, 404);
    assert_eq!(node.call(&token, "symbols", None, &json!({ "name": "helper" })).0, 404);
}
