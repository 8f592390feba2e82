//! Questions about all repositories that a caller may read.

use crate::server::{Team, team};
use serde_json::json;

const LIBRARY: &[(&str, &str)] = &[
    ("package.json", "{ \"name\": \"@acme/tariff\", \"main\": \"index.js\" }\n"),
    ("index.js", "export function tariff(weight) {\n  return weight * 2;\n}\n"),
];

const USER: &[(&str, &str)] = &[
    ("package.json", "{ \"name\": \"app\", \"dependencies\": { \"@acme/tariff\": \"1.0.0\" } }\n"),
    (
        "main.js",
        "import { tariff } from '@acme/tariff';\n\nexport function price() {\n  return tariff(3);\n}\n",
    ),
];

/// Has the same name, but requires nothing.
const STRANGER: &[(&str, &str)] = &[
    ("package.json", "{ \"name\": \"stranger\" }\n"),
    ("other.js", "import { tariff } from './mine.js';\n\nexport function fee() {\n  return tariff(1);\n}\n"),
    ("mine.js", "export function tariff(n) {\n  return n;\n}\n"),
];

fn acme() -> Option<Team> {
    let team = Team::new()?;
    team.publish("tariff", LIBRARY);
    team.publish("app", USER);
    team.publish("stranger", STRANGER);
    Some(team)
}

#[test]
fn callers_in_other_repositories_are_found_by_package_and_never_by_name() {
    let Some(team) = acme() else { return };
    let (token, node) = (team.token(&["tariff", "app", "stranger"]), team.serve());
    let data = node.data(&token, "callers", Some("tariff"), &json!({ "symbol": "tariff" })).to_string();
    assert!(data.contains("app/main.js") && data.contains("price"), "{data}");
    assert!(!data.contains("stranger") && !data.contains("fee"), "{data}");
    let narrow = team.token(&["tariff", "stranger"]);
    let data = node.data(&narrow, "callers", Some("tariff"), &json!({ "symbol": "tariff" })).to_string();
    assert!(!data.contains("app/") && !data.contains("price"), "it may not read the app: {data}");
}

#[test]
fn lists_of_all_repositories_are_labelled() {
    let Some(team) = acme() else { return };
    let (token, node) = (team.token(&["tariff", "app", "stranger"]), team.serve());
    let data = node.data(&token, "symbols", None, &json!({ "name": "tariff" }));
    let paths: Vec<&str> =
        data["symbols"].as_array().expect("symbols").iter().filter_map(|one| one["path"].as_str()).collect();
    assert_eq!(paths, ["stranger/mine.js", "tariff/index.js"]);
    let found = node.data(&token, "search", None, &json!({ "query": ["price"] })).to_string();
    assert!(found.contains("app/main.js"), "{found}");
    let (_, lines) = node.call(&token, "grep", None, &json!({ "pattern": "return tariff" }));
    let lines = lines.to_string();
    assert!(lines.contains("app/main.js") && lines.contains("stranger/other.js"), "{lines}");
    let (status, one) = node.call(&token, "impact", None, &json!({ "symbol": "tariff" }));
    assert!(status == 400 && one.to_string().contains("name one with `repository`"), "{one}");
}

#[test]
fn among_many_repositories_those_with_an_answer_are_asked() {
    let team = team!();
    for number in 0..12 {
        let text = format!(
            "def common():\n    return {number}\n\n\ndef only_{number}():\n    \"\"\"word{number}\"\"\"\n"
        );
        let name = format!("r{number:02}");
        team.commit(&name, &[("a.py", &text)]);
        team.succeeds(&["add", team.path(&name).to_str().expect("a name")]);
    }
    team.work();
    let (token, node) = (team.succeeds(&["tokens", "create", "all", "--all"]), team.serve());
    let asked = |operation: &str, arguments: serde_json::Value| {
        let (status, answer) = node.call(&token, operation, None, &arguments);
        assert_eq!(status, 200, "{answer}");
        (answer["repositories"].clone(), answer["notes"].clone())
    };
    assert_eq!(asked("symbols", json!({ "name": "only_11" })), (json!(["r11"]), json!([])));
    assert_eq!(asked("grep", json!({ "pattern": "only_7\\b" })).0, json!(["r07"]));
    assert_eq!(asked("search", json!({ "query": ["word9"] })).0[0], "r09");
    let (repositories, notes) = asked("symbols", json!({ "name": "common" }));
    assert_eq!(repositories.as_array().map(Vec::len), Some(8));
    assert!(notes[0].as_str().is_some_and(|note| note.contains("more repositories")), "{notes}");
}
