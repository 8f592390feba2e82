//! Tokens: who may read what, and from when to when.

use crate::server::team;
use serde_json::json;

const OWN: &[(&str, &str)] = &[
    ("own.py", "def visible():\n    return helper()\n\n\ndef helper():\n    return 1\n"),
    ("pyproject.toml", "[project]\nname = \"own\"\n"),
];

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
