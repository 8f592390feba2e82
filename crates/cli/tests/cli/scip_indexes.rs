//! `orient scip`: an index that lies in the repository is imported with the user's consent only.

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
    tree.write("scip-allowed", tree.root().display().to_string());
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
    assert!(allowed.contains("new: `orient index` imports it"), "{allowed}");
    let said = tree.json(&["index", "--json"]);
    assert!(said.to_string().contains("imported index.scip: 2 documents"), "{said}");
    assert!(callers(&tree).contains("a.py:2  function run  compiler"), "{}", callers(&tree));
    let again = tree.json(&["index", "--json"]);
    assert!(!again.to_string().contains("imported index.scip"), "{again}");
    tree.write("index.scip", "not an index");
    let broken = tree.json(&["index", "--json"]);
    assert!(broken.to_string().contains("cannot be imported"), "{broken}");
    assert_eq!(tree.run(&["scip", "deny"]).status.code(), Some(0));
    let denied = tree.json(&["index", "--json"]);
    assert!(!denied.to_string().contains("cannot be imported"), "{denied}");
}
