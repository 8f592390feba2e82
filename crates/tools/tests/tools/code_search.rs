//! `find` and `absent` on a small tree of several languages.

use crate::support::Tree;
use orient_tools::Exit;
use serde_json::{Value, json};

const RUST: &str = "\
fn main() {
    let text = read().unwrap();
    print(text);
}

fn read() -> Result<String, ()> {
    for line in lines() {
        parse(line, 1).unwrap();
    }
    Ok(String::new())
}
";

/// A tree with two Rust files, a script and a binary file.
fn fixture() -> Tree {
    Tree::with(&[
        ("src/main.rs", RUST.as_bytes()),
        ("tests/check.rs", b"fn check() { run().unwrap(); }\n"),
        ("deploy.py", b"import os\nprint(os.environ['unwrap'])\n"),
        ("logo.png", b"\x89PNG\r\n\x1a\n\0\0\0unwrap"),
    ])
}

#[test]
fn a_pattern_is_found_by_structure_with_its_metavariables() {
    let (text, answer, exit) =
        fixture().ask("find", json!({ "pattern": "$X.unwrap()", "lang": "rust" })).expect("an answer");
    let expected = "\
src/main.rs
  2      let text = read().unwrap();
  8          parse(line, 1).unwrap();
tests/check.rs
  1  fn check() { run().unwrap(); }
";
    assert_eq!((text.as_str(), exit), (expected, Exit::Ok));
    let first = &answer["data"]["matches"][0];
    assert_eq!(
        *first,
        json!({
            "path": "src/main.rs", "line": 2, "column": 16, "end_line": 2, "end_column": 31,
            "text": "read().unwrap()", "variables": { "X": "read()" },
        })
    );
    assert_eq!(answer["complete"], true);
}

#[test]
fn constraints_and_paths_narrow_the_matches() {
    let tree = fixture();
    let count = |arguments: Value| {
        let mut all = json!({ "pattern": "$X.unwrap()", "lang": ["rs"] });
        all.as_object_mut().expect("an object").extend(arguments.as_object().expect("an object").clone());
        tree.ask("find", all).expect("an answer").1["total"].as_u64()
    };
    assert_eq!(count(json!({})), Some(3));
    assert_eq!(count(json!({ "paths": ["src"] })), Some(2));
    assert_eq!(count(json!({ "exclude": ["src"] })), Some(1));
    assert_eq!(count(json!({ "role": ["source"] })), Some(2));
    assert_eq!(count(json!({ "inside": "(for_expression)" })), Some(1));
    assert_eq!(count(json!({ "not_inside": "(for_expression)" })), Some(2));
    assert_eq!(count(json!({ "has": "parse($$$)" })), Some(1));
    assert_eq!(count(json!({ "not_has": "(integer_literal)" })), Some(2));
    assert_eq!(count(json!({ "not": "run().unwrap()" })), Some(2));
}

#[test]
fn a_rewrite_is_a_diff_and_changes_no_file() {
    let tree = fixture();
    let arguments =
        json!({ "pattern": "parse($A, $B).unwrap()", "lang": "rust", "rewrite": "parse($B, $A)?" });
    let (text, _, _) = tree.ask("find", arguments).expect("an answer");
    assert!(text.starts_with("--- a/src/main.rs\n+++ b/src/main.rs\n@@ -5,7 +5,7 @@\n"), "{text}");
    assert!(text.contains("-        parse(line, 1).unwrap();\n+        parse(1, line)?;\n"), "{text}");
    let file = std::fs::read_to_string(tree.path("src/main.rs")).expect("still there");
    assert_eq!(file, RUST);
}

#[test]
fn a_pattern_without_a_language_is_an_error_that_lists_the_languages() {
    let error = fixture().ask("find", json!({ "pattern": "f($X)" })).expect_err("no language");
    assert_eq!(error.help(), "here: rust, python");
    let (text, ..) = fixture()
        .ask("find", json!({ "pattern": "os.environ[$K]", "paths": ["deploy.py"] }))
        .expect("the file has one language");
    assert_eq!(text, "deploy.py\n  2  print(os.environ['unwrap'])\n");
}

#[test]
fn absence_is_proven_by_counting_every_file() {
    let (text, answer, exit) =
        fixture().ask("absent", json!({ "patterns": "panic!", "fixed_strings": true })).expect("an answer");
    assert_eq!(exit, Exit::Ok);
    let data = &answer["data"];
    assert_eq!((&data["verdict"], &data["in_scope"]), (&json!("pass"), &json!(3)));
    assert_eq!(data["searched"].as_u64().zip(data["ruled_out"].as_u64()).map(|(a, b)| a + b), Some(3));
    assert_eq!(data["skipped"], json!([{ "path": "logo.png", "reason": "binary", "unproven": false }]));
    assert!(text.starts_with("PASS  no match of `panic!`\n3 files in scope: "), "{text}");
}

#[test]
fn violations_are_listed_and_set_the_exit_code() {
    let tree = fixture();
    let code = json!({ "patterns": ["$X.unwrap()"], "structural": true, "lang": "rust", "exclude": "tests" });
    let (text, answer, exit) = tree.ask("absent", code).expect("an answer");
    assert_eq!((exit, &answer["data"]["count"]), (Exit::Nothing, &json!(2)));
    assert!(text.starts_with("FAIL  2 violations in 1 file of `$X.unwrap()`\nsrc/main.rs\n  2  "), "{text}");
    let warning = json!({ "patterns": ["un\\w+p", "os"], "severity": "warning", "in": "deploy.py" });
    let (text, answer, exit) = tree.ask("absent", warning).expect("an answer");
    assert_eq!((exit, &answer["data"]["count"]), (Exit::Ok, &json!(3)));
    assert!(text.starts_with("WARN  3 violations in 1 file of `un\\w+p`, `os`\n"), "{text}");
}

#[test]
fn a_file_that_cannot_be_parsed_leaves_a_check_of_structure_unproven() {
    let tree = fixture();
    tree.write("src/large.rs", "fn f() {}\n".repeat(300_000).as_bytes());
    let check = json!({ "patterns": "$X.expect($M)", "structural": true, "lang": "rust" });
    let (text, answer, exit) = tree.ask("absent", check).expect("an answer");
    assert_eq!((&answer["data"]["verdict"], exit), (&json!("unproven"), Exit::Failed));
    assert!(text.contains("not searched: src/large.rs  "), "{text}");
}

#[test]
fn a_file_over_the_size_limit_is_searched_all_the_same() {
    let tree = fixture();
    let mut large = "x = 1\n".repeat(600_000);
    large.push_str("needle_at_the_end = 2\n");
    tree.write("large.py", large.as_bytes());
    let (_, answer, exit) =
        tree.ask("absent", json!({ "patterns": "needle_at_the_end" })).expect("an answer");
    assert_eq!((exit, &answer["data"]["violations"][0]["line"]), (Exit::Nothing, &json!(600_001)));
}
