//! `--json`: the same answers for programs.

use crate::sandbox::{Sandbox, text};

fn tree() -> Sandbox {
    Sandbox::new(&[("a.py", "class Cart:\n    def total(self): pass\n"), ("b.py", "def total(): pass\n")])
}

#[test]
fn every_answer_says_whether_it_is_complete_and_how_fresh() {
    let tree = tree();
    let answer = tree.json(&["symbols", "total", "--json", "--limit", "1"]);
    assert_eq!(answer["complete"], false);
    assert_eq!(answer["reasons"][0], "1 of 2 shown");
    assert_eq!(answer["total"], 2);
    assert!(answer["next"].as_str().expect("a cursor").starts_with("1@"));
    assert_eq!(answer["freshness"]["pending"], 0);
    assert_eq!(answer["freshness"]["checked"], true);
    let symbol = &answer["data"]["symbols"][0];
    assert_eq!(symbol["handle"], "a.py#Cart.total");
    assert_eq!((symbol["line"].as_u64(), symbol["kind"].as_str()), (Some(2), Some("method")));
    assert_eq!(symbol["match"], "exact");

    let answer = tree.json(&["symbols", "total", "--json"]);
    assert_eq!((&answer["complete"], answer.get("next")), (&true.into(), None));
}

#[test]
fn suggestions_are_kept_apart_from_answers() {
    let answer = tree().json(&["symbols", "totla", "--json"]);
    assert_eq!(answer["data"]["symbols"].as_array().map(Vec::len), Some(0));
    assert_eq!(answer["data"]["did_you_mean"][0]["match"], "fuzzy");
}

#[test]
fn ambiguity_is_data_with_an_exit_code() {
    let tree = tree();
    let answer = tree.json(&["show", "total", "--json"]);
    assert_eq!(answer["data"]["found"], "several");
    assert_eq!(answer["data"]["candidates"][1]["handle"], "b.py#total");
    assert_eq!(tree.run(&["show", "total", "--json"]).status.code(), Some(3));
    let one = tree.json(&["show", "b.py#total", "--json"]);
    assert_eq!((&one["data"]["found"], &one["data"]["source"]), (&"one".into(), &"def total(): pass".into()));
}

#[test]
fn errors_are_objects_on_the_standard_error() {
    let output = tree().run(&["symbols", "x", "--kind", "clas", "--json"]);
    assert!(output.stdout.is_empty());
    let error: serde_json::Value = serde_json::from_slice(&output.stderr).expect("JSON");
    assert_eq!(error["code"], "bad_argument");
    assert_eq!(error["class"], "user");
    assert_eq!(error["hint"], "did you mean `class`?");
}

#[test]
fn every_command_answers_in_json() {
    let tree = tree();
    for args in [
        &["index"][..],
        &["status"],
        &["files"],
        &["symbols", "total"],
        &["outline", "a.py"],
        &["show", "b.py#total"],
        &["dump"],
        &["gc", "--dry-run"],
        &["config"],
    ] {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let answer = tree.json(&args);
        assert!(answer["data"].is_object() || answer["data"].is_array(), "{args:?}");
        assert_eq!(answer["complete"], true, "{args:?}");
    }
}

#[test]
fn text_of_the_repository_is_data() {
    let tree = Sandbox::new(&[("a.py", "def f():\n    return '\u{1b}[31m \u{202e}'\n")]);
    let shown = text(&tree.run(&["show", "f"]).stdout);
    assert!(shown.contains("return '\\u{1b}[31m \\u{202e}'"), "{shown}");
    let output = tree.run(&["show", "f", "--json"]);
    assert!(!output.stdout.contains(&0x1b) && !text(&output.stdout).contains('\u{202e}'));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["data"]["source"], "def f():\n    return '\u{1b}[31m \u{202e}'");
}
