//! Two tenants: nothing that one of them can ask depends on what only the other may read. Every attempt is made before the other tenant's
//! repository exists and after, and the answers must be the same.

use crate::server::{NodeProcess, Team, request, team};
use serde_json::{Value, json};

/// The name of the other tenant's repository, and what only it contains.
const SECRET: &str = "zanzibar";

const OWN: &[(&str, &str)] = &[
    ("own.py", "def visible():\n    return helper()\n\n\ndef helper():\n    return 1\n"),
    ("pyproject.toml", "[project]\nname = \"own\"\n"),
];

/// It has the same names, and requires the package of the first.
const OTHER: &[(&str, &str)] = &[
    (
        "zanzibar.py",
        "from own import helper\n\n\ndef zanzibar():\n    return helper()\n\n\ndef visible():\n    return zanzibar()\n",
    ),
    ("own.py", OWN[0].1),
    ("pyproject.toml", "[project]\nname = \"zanzibar\"\ndependencies = [\"own\"]\n"),
];

/// Texts that lead to the other repository, if anything does.
const SUBJECTS: &[&str] =
    &["visible", SECRET, "zanzibar/zanzibar.py", "../zanzibar/zanzibar.py", "zanzibar.py#zanzibar", "z"];

/// Names of repositories as a caller may write them.
const REPOSITORIES: &[Option<&str>] = &[
    None,
    Some("own"),
    Some(SECRET),
    Some("zanzibar@main"),
    Some("own@main"),
    Some("../zanzibar"),
    Some("%"),
];

/// The names to ask about with a subject: all with one of them, the two that are readable with the others.
fn repositories(subject: usize) -> &'static [Option<&'static str>] {
    if subject == 0 { REPOSITORIES } else { &REPOSITORIES[..2] }
}

/// What was asked, and what was answered.
type Attempt = (String, String);

/// Arguments for an operation: its subjects are about the other tenant.
fn arguments(schema: &Value) -> Vec<Value> {
    const NAMES: &[&str] = &[
        "symbol", "name", "query", "path", "paths", "pattern", "from", "to", "glob", "target", "text", "sql",
    ];
    let properties: Vec<&String> =
        schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name).collect();
    let about = |text: &&str| {
        let mut one = serde_json::Map::new();
        for name in properties.iter().filter(|name| NAMES.contains(&name.as_str())) {
            let kind = &schema["properties"][name.as_str()]["type"];
            let is_list = *kind == "array" || kind[0] == "array";
            one.insert((*name).clone(), if is_list { json!([text]) } else { json!(text) });
        }
        Value::Object(one)
    };
    SUBJECTS.iter().map(about).collect()
}

/// Every operation over HTTP.
fn operations(node: &NodeProcess, token: &str, into: &mut Vec<Attempt>) {
    for operation in orient_tools::OPERATIONS {
        for (subject, arguments) in arguments(&operation.input_schema()).iter().enumerate() {
            for repository in repositories(subject) {
                let (status, answer) = node.call(token, operation.name, *repository, arguments);
                into.push((
                    format!("{} {arguments} {repository:?}", operation.name),
                    format!("{status} {answer}"),
                ));
            }
        }
        let words = json!({ "operation": operation.name, "words": [SECRET], "structured": true }).to_string();
        let (status, answer) = node.request("POST", "/v1/call", Some(token), &words);
        into.push((words, format!("{status} {answer}")));
    }
}

/// Everything else that is served over HTTP.
fn paths(node: &NodeProcess, token: &str, into: &mut Vec<Attempt>) {
    let requests = [
        ("GET", "/v1/repositories"),
        ("GET", "/v1/repositories/zanzibar"),
        ("GET", "/metrics"),
        ("GET", "/readyz"),
        ("GET", "/healthz"),
        ("GET", "/zanzibar"),
        ("GET", "/.well-known/oauth-protected-resource/mcp"),
        ("POST", "/v1/hooks/zanzibar"),
        ("POST", "/v1/hooks/own"),
        ("POST", "/v1/call"),
        ("DELETE", "/v1/call"),
    ];
    for (method, path) in requests {
        for token in [Some(token), Some("ort_wrong"), None] {
            let (status, body) = node.request(method, path, token, "{}");
            into.push((format!("{method} {path} {}", token.is_some()), format!("{status} {body}")));
        }
    }
}

/// Facts for a clone of the other repository: by its address and by its commit.
fn facts(team: &Team, node: &NodeProcess, token: &str, into: &mut Vec<Attempt>) {
    let path = team.path(SECRET);
    let address = orient_tools::address_key(path.to_str().expect("a name"));
    let commit = orient_testkit::git(&path, &["rev-parse", "HEAD"]);
    for key in [format!("address:{address}"), format!("commit:{}", commit.trim())] {
        let question = json!({ "own": [key], "head": commit.trim() }).to_string();
        let (status, body) = node.request("POST", "/v1/facts", Some(token), &question);
        into.push(("facts".to_owned(), format!("{status} {body}")));
        let question = json!({ "operation": "symbols", "arguments": { "name": "visible" }, "own": [key] });
        let (status, body) = node.request("POST", "/v1/call", Some(token), &question.to_string());
        into.push(("without".to_owned(), format!("{status} {body}")));
    }
}

/// Every kind of page, about one's own repository, the other one and all.
fn pages(node: &NodeProcess, token: &str, into: &mut Vec<Attempt>) {
    const PAGES: &[&str] =
        &["", "code/", "code/zanzibar.py", "code/own.py", "map", "status", "change", "help"];
    const QUERIES: &[&str] = &["visible", SECRET, "zanzibar.py", "zan"];
    let mut paths: Vec<String> = ["/", "/repositories", "/help", "/login", "/r/", "/r/zanzibar", "/events"]
        .map(str::to_owned)
        .to_vec();
    for name in
        ["own", SECRET, "zanzibar@main", "own@main", "../zanzibar", "%2e%2e/zanzibar", "own/-/../../zanzibar"]
    {
        paths.extend(PAGES.iter().map(|page| format!("/r/{name}/-/{page}")));
        for query in QUERIES {
            paths.push(format!("/r/{name}/-/search?q={query}"));
            paths.push(format!("/r/{name}/-/graph?symbol={query}"));
            paths.push(format!("/r/{name}/-/card?symbol={query}&fragment=1"));
        }
    }
    for query in QUERIES {
        paths.extend(
            ["auto", "names", "regex", "structural"].map(|mode| format!("/search?q={query}&mode={mode}")),
        );
        paths.extend([
            format!("/code/{query}"),
            format!("/code/{query}/zanzibar.py"),
            format!("/card?symbol={query}/zanzibar.py%23x"),
        ]);
    }
    for path in &paths {
        for token in [Some(token), None] {
            let (status, head, body) = node.request_with_head("GET", path, token, "");
            let moved = head.lines().find(|line| line.starts_with("location:")).unwrap_or_default();
            into.push((format!("GET {path} {}", token.is_some()), format!("{status} {moved} {body}")));
        }
    }
}

/// A session of MCP: tools, resources, templates, completions, prompts, errors.
fn mcp(node: &NodeProcess, token: &str, into: &mut Vec<Attempt>) {
    let authorization = format!("Authorization: Bearer {token}");
    let client = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let begin = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client }).to_string();
    let (status, head, _) =
        request(node.address(), "POST", "/mcp", &authorization, &begin).expect("it answers");
    assert_eq!(status, 200, "{head}");
    let session = head.lines().find(|line| line.to_ascii_lowercase().starts_with("mcp-session-id:"));
    let headers = format!("{authorization}\r\n{}", session.expect("a session"));
    let send = |message: &Value| {
        request(node.address(), "POST", "/mcp", &headers, &message.to_string()).expect("it answers")
    };
    send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let mut ask = |method: &str, params: Value| {
        let (status, _, body) =
            send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }));
        into.push((format!("{method} {params}"), format!("{status} {body}")));
        body
    };
    let listed = ask("tools/list", json!({}));
    // The body has the length of its chunk around it.
    let json = &listed[listed.find('{').expect("an object")..=listed.rfind('}').expect("an object")];
    let tools: Value = serde_json::from_str(json).expect("JSON");
    let tools = tools["result"]["tools"].as_array().expect("tools").clone();
    assert!(tools.len() > 5, "{tools:?}");
    for tool in &tools {
        for (subject, mut arguments) in arguments(&tool["inputSchema"]).into_iter().enumerate() {
            for repository in repositories(subject) {
                arguments["repository"] = json!(repository);
                ask("tools/call", json!({ "name": tool["name"], "arguments": arguments }));
            }
        }
    }
    for method in ["resources/list", "resources/templates/list", "prompts/list"] {
        ask(method, json!({}));
    }
    for uri in [
        "orient://file/zanzibar.py",
        "orient://file/zanzibar/zanzibar.py",
        "orient://symbol/zanzibar",
        "file:///zanzibar.py",
    ] {
        ask("resources/read", json!({ "uri": uri }));
    }
    for template in ["orient://file/{+path}", "orient://symbol/{name}"] {
        for name in ["path", "name"] {
            let reference = json!({ "type": "ref/resource", "uri": template });
            ask(
                "completion/complete",
                json!({ "ref": reference, "argument": { "name": name, "value": "z" } }),
            );
        }
    }
    for name in ["zanzibar", "explain"] {
        ask("prompts/get", json!({ "name": name, "arguments": { "symbol": SECRET } }));
    }
    ask(SECRET, json!({}));
}

/// An answer without how long a search took.
fn without_times(answer: &str) -> String {
    let mut parts = answer.split("\"elapsed");
    let mut text = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| text.push_str(part.split_once('}').map_or(part, |(_, rest)| rest)));
    text
}

fn attempts(team: &Team, token: &str) -> Vec<Attempt> {
    let node = team.serve();
    let mut all = Vec::new();
    operations(&node, token, &mut all);
    paths(&node, token, &mut all);
    facts(team, &node, token, &mut all);
    pages(&node, token, &mut all);
    mcp(&node, token, &mut all);
    all
}

#[test]
fn nothing_that_a_tenant_can_ask_depends_on_another_tenant() {
    let team = team!();
    team.publish("own", OWN);
    let create = |name: &str| {
        team.succeeds(&["tokens", "create", name, "--repository", name, "--per-minute", "1000000"])
    };
    let token = create("own");
    team.commit(SECRET, OTHER);
    let before = attempts(&team, &token);
    let path = team.path(SECRET);
    team.succeeds(&["add", path.to_str().expect("a name"), "--name", SECRET]);
    team.work();
    team.succeeds(&["webhook", SECRET]);
    let after = attempts(&team, &token);
    assert!(before.len() >= 60 && before.len() == after.len(), "{} attempts", before.len());
    for ((question, before), (_, after)) in before.iter().zip(&after) {
        assert_eq!(without_times(before), without_times(after), "{question}");
    }
    let owner = team.serve();
    let found = owner.data(&create(SECRET), "symbols", None, &json!({ "name": SECRET }));
    assert_eq!(found["symbols"][0]["path"], "zanzibar/zanzibar.py", "its owner finds it");
    let opened = "SELECT count(*) FROM orient.audit WHERE name = 'own' AND 'zanzibar' = ANY(repositories)";
    assert_eq!(team.database.sql(opened), "0", "the index of another tenant was not even opened");
    eprintln!("{} attempts", after.len());
}
