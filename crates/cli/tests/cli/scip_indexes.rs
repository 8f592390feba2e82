//! `orient scip`: an index that lies in the repository is imported with the user's consent only.

use crate::language_servers::{Watching, wait_for};
use crate::sandbox::{Sandbox, text};
use orient_testkit::{DEFINES, USES, scip_document, scip_index, scip_occurrence};

const GO: &str = "py pip b 1 Engine#go().";

/// A repository with an index that knows what `x.go()` means.
fn tree() -> Sandbox {
    let tree = Sandbox::new(&[
        ("a.py", "def run(x):\n    x.go()\n"),
        (
            "b.py",
            "class Engine:\n    def go(self):\n        pass\n\n\nclass Other:\n    def go(self):\n        pass\n",
        ),
    ]);
    let a = scip_document("a.py", &[scip_occurrence(GO, 1, 6, 8, USES)]);
    let b = scip_document("b.py", &[scip_occurrence(GO, 1, 8, 10, DEFINES)]);
    tree.write("index.scip", scip_index(&[a, b]));
    tree
}

fn callers(tree: &Sandbox) -> String {
    text(&tree.run(&["callers", "Engine.go"]).stdout)
}

#[test]
fn an_index_in_the_repository_changes_nothing_before_the_user_says_so() {
    let tree = tree();
    tree.write("scip-allowed.toml", format!("root = '{}'\n", tree.root().display()));
    tree.run(&["index"]);
    assert!(callers(&tree).starts_with("0 verified callers"), "{}", callers(&tree));
    let status = text(&tree.run(&["scip"]).stdout);
    assert!(status.contains("no compiler layer") && status.contains("index.scip  not imported"), "{status}");
    assert_eq!(tree.run(&["scip", "deny"]).status.code(), Some(1), "there is no consent");
}

#[test]
fn without_a_file_the_indexes_in_the_usual_places_are_imported() {
    let tree = tree();
    let done = text(&tree.run(&["scip", "import"]).stdout);
    assert!(done.starts_with("2 documents imported") && done.contains("index.scip  imported"), "{done}");
    assert!(callers(&tree).contains("a.py:2  function run  compiler"), "{}", callers(&tree));
    std::fs::remove_file(tree.root().join("index.scip")).expect("it was there");
    let refused = tree.run(&["scip", "import"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    assert!(said.contains("there is no index.scip"), "{said}");
}

#[test]
fn with_consent_the_index_command_imports_what_is_new() {
    let tree = tree();
    let allowed = text(&tree.run(&["scip", "allow"]).stdout);
    assert!(allowed.contains("new: `orient index` and servers import it"), "{allowed}");
    let said = tree.json(&["index", "--json"]);
    assert!(said.to_string().contains("imported index.scip: 2 documents"), "{said}");
    assert!(callers(&tree).contains("a.py:2  function run  compiler"), "{}", callers(&tree));
    let again = tree.json(&["index", "--json"]);
    assert!(!again.to_string().contains("imported index.scip"), "{again}");
    tree.write("index.scip", "not an index");
    let broken = tree.json(&["index", "--json"]);
    assert!(broken.to_string().contains("cannot be imported"), "{broken}");
    let again = tree.json(&["index", "--json"]);
    assert!(!again.to_string().contains("cannot be imported"), "reported once: {again}");
    let status = text(&tree.run(&["scip"]).stdout);
    assert!(status.contains("index.scip  cannot be imported: "), "{status}");
    tree.write("index.scip", "not an index either");
    let other = tree.json(&["index", "--json"]);
    assert!(other.to_string().contains("cannot be imported"), "another content: {other}");
    tree.write("index.scip", "no index at all");
    assert_eq!(tree.run(&["scip", "deny"]).status.code(), Some(0));
    let denied = tree.json(&["index", "--json"]);
    assert!(!denied.to_string().contains("cannot be imported"), "{denied}");
}

#[test]
fn with_consent_a_server_imports_what_is_new_and_names_what_it_cannot_read() {
    let tree = tree();
    let index = std::fs::read(tree.root().join("index.scip")).expect("it is there");
    tree.write("index.scip", "not an index");
    tree.run(&["scip", "allow"]);
    let _watching = Watching::start(&tree);
    let reason = wait_for(&tree, "failed");
    assert!(reason.contains("index.scip cannot be imported"), "{reason}");
    tree.write("index.scip", index);
    let until = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while !callers(&tree).contains("a.py:2  function run  compiler") {
        assert!(std::time::Instant::now() < until, "{}", callers(&tree));
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
}
