//! `export`, `import` and `ORIENT_SEED_INDEX`: an index moves to another store.

use crate::sandbox::{Sandbox, text};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

const SHOP: &[(&str, &str)] = &[
    ("shop.py", "from stock import take\n\n\ndef buy(item):\n    return take(item)\n"),
    ("stock.py", "def take(item):\n    return item\n"),
];

/// Runs a command with another store.
fn elsewhere(tree: &Sandbox, store: &Path, arguments: &[&str]) -> Output {
    tree.command(arguments).env("ORIENT_STORE", store).output().expect("it runs")
}

#[test]
fn an_imported_index_answers_like_a_new_one() {
    let tree = Sandbox::new(SHOP);
    let store = tempfile::tempdir().expect("a store");
    let file = store.path().join("index.orient");
    let file = file.to_str().expect("UTF-8");
    let exported: Value =
        serde_json::from_slice(&tree.run(&["export", file, "--json"]).stdout).expect("JSON");
    assert_eq!(
        (&exported["data"]["files"], &exported["data"]["facts"]),
        (&2.into(), &2.into()),
        "{exported}"
    );
    let imported = elsewhere(&tree, store.path(), &["import", file, "--json"]);
    let imported: Value = serde_json::from_slice(&imported.stdout).expect("JSON");
    let counts = ["files", "facts", "parsed", "changed", "added", "removed"]
        .map(|name| imported["data"][name].as_u64());
    assert_eq!(counts, [2, 2, 0, 0, 0, 0].map(Some), "{imported}");
    for question in [&["dump"][..], &["callers", "take"], &["search", "buy an item"]] {
        let (ours, other) = (tree.run(question), elsewhere(&tree, store.path(), question));
        assert_eq!(text(&ours.stdout), text(&other.stdout), "{question:?}");
    }
}

#[test]
fn a_directory_without_an_index_starts_from_the_seed() {
    let tree = Sandbox::new(SHOP);
    let store = tempfile::tempdir().expect("a store");
    let file = store.path().join("index.orient");
    let exported = tree.run(&["export", file.to_str().expect("UTF-8")]);
    assert!(exported.status.success(), "{}", text(&exported.stderr));
    let seeded = |store: &str| {
        let mut command = tree.command(&["callers", "take"]);
        command.env("ORIENT_STORE", tree.store().with_file_name(store)).env("ORIENT_SEED_INDEX", &file);
        let output = command.output().expect("it runs");
        assert!(text(&output.stdout).contains("shop.py:5  function buy"), "{}", text(&output.stdout));
        text(&output.stderr)
    };
    let notes = seeded("first");
    assert!(notes.contains(&format!("note: started from {}", file.display())), "{notes}");
    std::fs::write(&file, "garbage").expect("written");
    let notes = seeded("second");
    assert!(notes.contains("seed.index is not used") && notes.contains("it is not an index"), "{notes}");
}

#[test]
fn a_file_that_cannot_be_imported_is_an_error_with_advice() {
    let tree = Sandbox::new(SHOP);
    tree.write("notes.txt", "no index");
    let error = |file: &str| {
        let output = tree.run(&["import", file]);
        assert_ne!(output.status.code(), Some(0));
        text(&output.stderr)
    };
    let foreign = error("notes.txt");
    assert!(foreign.contains("it is not an index that `orient export` wrote"), "{foreign}");
    assert!(foreign.contains("`orient export FILE` writes one"), "{foreign}");
    assert!(error("missing.orient").contains("No such file"), "a missing file");
}
