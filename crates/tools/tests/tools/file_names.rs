//! Files found by part of their path, the directory tree, and globs where a regular expression is expected.

use crate::support::Tree;
use serde_json::{Value, json};

fn tree() -> Tree {
    Tree::with(&[
        ("src/Orders/Totals.cs", b"class Totals { }\n"),
        ("src/Order.cs", b"class Order { }\n\n"),
        ("src/OrderLine.cs", b"class OrderLine { }\n"),
        ("tests/PlaceOrder.cs", b"class PlaceOrder { }\n"),
        ("README.md", b"# Shop\n"),
    ])
}

fn paths(answer: &Value, list: &str) -> Vec<String> {
    let lines = answer["data"][list].as_array().expect("a list");
    lines.iter().map(|line| line["path"].as_str().expect("a path").to_owned()).collect()
}

#[test]
fn part_of_a_path_finds_files_in_any_case_best_first() {
    let (text, answer, _) = tree().ask("files", json!({ "glob": "order" })).expect("an answer");
    assert_eq!(
        paths(&answer, "files"),
        ["src/Order.cs", "src/OrderLine.cs", "tests/PlaceOrder.cs", "src/Orders/Totals.cs"]
    );
    assert!(text.starts_with("src/Order.cs\n"), "{text}");
    let (_, answer, _) = tree().ask("files", json!({ "glob": "ordline" })).expect("an answer");
    assert_eq!(paths(&answer, "files"), ["src/OrderLine.cs"]);
}

#[test]
fn filters_and_pages_apply_to_part_of_a_path() {
    let (_, answer, _) =
        tree().ask("files", json!({ "glob": "order", "role": ["test"] })).expect("an answer");
    assert_eq!(paths(&answer, "files"), ["tests/PlaceOrder.cs"]);
    let (_, answer, _) = tree().ask("files", json!({ "glob": "order", "limit": 1 })).expect("an answer");
    assert_eq!(paths(&answer, "files"), ["src/Order.cs"]);
    assert!(answer["next"].is_string(), "{answer}");
}

#[test]
fn a_directory_or_a_glob_is_taken_as_such() {
    let (_, answer, _) = tree().ask("files", json!({ "glob": "tests" })).expect("an answer");
    assert_eq!(paths(&answer, "files"), ["tests/PlaceOrder.cs"]);
    let (_, answer, _) = tree().ask("files", json!({ "glob": "*.md" })).expect("an answer");
    assert_eq!(paths(&answer, "files"), ["README.md"]);
}

#[test]
fn a_text_that_no_path_has_is_an_error() {
    let Err(error) = tree().ask("files", json!({ "glob": "zebra" })) else { panic!("nothing has it") };
    assert!(error.to_string().contains("the index has no file or directory `zebra`"), "{error}");
}

#[test]
fn the_tree_has_totals_of_what_lies_below() {
    let (text, answer, _) = tree().ask("files", json!({ "tree": true, "depth": 1 })).expect("an answer");
    assert_eq!(paths(&answer, "tree"), ["./", "src/", "tests/", "README.md"]);
    let source = &answer["data"]["tree"][1];
    assert_eq!((source["files"].as_u64(), source["lines"].as_u64()), (Some(3), Some(4)));
    assert!(text.contains("\n  src/"), "{text}");
    let (_, answer, _) =
        tree().ask("files", json!({ "tree": true, "depth": 2, "glob": "src" })).expect("an answer");
    assert_eq!(paths(&answer, "tree"), ["./", "src/", "src/Orders/", "src/Order.cs", "src/OrderLine.cs"]);
}

#[test]
fn a_glob_given_as_a_regular_expression_is_named_as_such() {
    let Err(error) = tree().ask("grep", json!({ "pattern": "*.cs" })) else { panic!("no valid expression") };
    assert!(format!("{error:?}").contains("looks like a glob"), "{error:?}");
}
