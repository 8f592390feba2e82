//! Unread files could contain the answer: every operation reports them.

use crate::sandbox::{Sandbox, text};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A tree with an unreadable directory and an unreadable file; readable again when dropped.
struct Closed(Sandbox);

impl Closed {
    fn new() -> Self {
        let tree = Sandbox::new(&[
            (
                "open.py",
                "class Base:\n    pass\n\n\nclass Derived(Base):\n    pass\n\n\ndef first():\n    return second()\n\n\ndef second():\n    pass\n",
            ),
            ("src/other.py", "from open import second\n\n\ndef third():\n    return second()\n"),
            ("closed.py", "from open import first\n\n\ndef hidden():\n    return first()\n"),
            ("locked/deep/x.py", "def deep_hidden():\n    pass\n"),
        ]);
        set(&tree.root().join("closed.py"), 0o000);
        set(&tree.root().join("locked"), 0o000);
        Self(tree)
    }

    fn run(&self, args: &[&str]) -> (String, String) {
        let said = self.0.unprivileged(args).output().expect("the command starts");
        (text(&said.stdout), text(&said.stderr))
    }

    fn json(&self, args: &[&str]) -> Value {
        let (said, error) = self.run(&[args, &["--json"]].concat());
        serde_json::from_str(&said).unwrap_or_else(|_| panic!("{args:?}: {said}{error}"))
    }
}

impl Drop for Closed {
    fn drop(&mut self) {
        set(&self.0.root().join("locked"), 0o755);
    }
}

fn set(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
}

const NOT_READ: &str = "not read: closed.py (permission denied), locked (permission denied)";

#[test]
fn every_answer_about_the_tree_names_what_was_not_read() {
    let tree = Closed::new();
    let questions: &[&[&str]] = &[
        &["symbols", "hidden"],
        &["symbols", "first"],
        &["search", "hidden"],
        &["context", "first"],
        &["callers", "first"],
        &["callers", "hidden"],
        &["callees", "first"],
        &["references", "second"],
        &["implementations", "Base"],
        &["hierarchy", "Base"],
        &["impact", "second"],
        &["trace", "third", "second"],
        &["similar", "first"],
        &["unused"],
        &["files"],
        &["outline", "."],
        &["deps", "src"],
        &["deps", "--cycles"],
        &["rdeps", "open.py"],
        &["map"],
    ];
    for question in questions {
        let (said, remarks) = tree.run(question);
        assert!(remarks.contains(NOT_READ), "{question:?}: {said}{remarks}");
        let answer = tree.json(question);
        assert_eq!(answer["complete"], false, "{question:?}: {answer}");
        assert!(answer["reasons"].to_string().contains(NOT_READ), "{question:?}: {answer}");
    }
    let (_, remarks) = tree.run(&["edges"]);
    assert!(remarks.contains(NOT_READ), "{remarks}");
}

#[test]
fn a_text_search_names_what_it_could_not_read() {
    let tree = Closed::new();
    for _ in 0..2 {
        let (said, remarks) = tree.run(&["grep", "hidden"]);
        assert!(remarks.contains("closed.py") && remarks.contains("locked"), "{said}{remarks}");
    }
}

#[test]
fn what_could_not_have_changed_the_answer_does_not_count() {
    let tree = Closed::new();
    for question in [
        &["show", "first"][..],
        &["outline", "open.py"],
        &["outline", "src"],
        &["files", "src"],
        &["symbols", "third", "--in", "src"],
        &["search", "third", "--path", "src"],
    ] {
        let (said, remarks) = tree.run(question);
        assert!(!remarks.contains("not read"), "{question:?}: {said}{remarks}");
    }
    for question in [&["files", "locked"][..], &["symbols", "x", "--in", "locked"], &["files", "*.go"]] {
        let (said, remarks) = tree.run(question);
        assert!(remarks.contains("locked"), "{question:?}: {said}{remarks}");
    }
    let (_, error) = tree.run(&["outline", "locked/deep/x.py"]);
    assert!(error.contains("`locked` is skipped (cannot be read: permission denied)"), "{error}");
}

#[test]
fn what_may_be_read_again_is_in_the_next_answer() {
    let tree = Closed::new();
    assert!(tree.run(&["symbols", "hidden"]).1.contains(NOT_READ));
    set(&tree.0.root().join("closed.py"), 0o644);
    let (said, remarks) = tree.run(&["symbols", "hidden"]);
    assert!(said.contains("closed.py:4"), "{said}");
    assert!(remarks.contains("not read: locked (permission denied)"), "{remarks}");
    set(&tree.0.root().join("locked"), 0o755);
    let (said, remarks) = tree.run(&["symbols", "deep_hidden"]);
    assert!(said.contains("locked/deep/x.py:1") && remarks.is_empty(), "{said}{remarks}");
}

#[test]
fn large_code_counts_and_large_data_does_not() {
    let code: Vec<String> =
        (0..70_000).map(|number| format!("int part_{number}(void) {{ return {number}; }}\n")).collect();
    let code = code.concat();
    let bundle = format!("var bundle = \"{}\"; function packed() {{}}\n", "a".repeat(3 << 20));
    let data = format!("{{ \"rows\": [{}0] }}\n", "1,\n".repeat(1 << 20));
    let tree = Sandbox::new(&[
        ("bundle.js", &bundle),
        ("rows.json", &data),
        ("vendor/big.c", &code),
        ("small.c", "int small(void) { return 1; }\n"),
    ]);
    let answer = tree.json(&["symbols", "small", "--json"]);
    assert_eq!(answer["complete"], true, "{answer}");
    let status = text(&tree.run(&["status"]).stdout);
    assert!(status.contains("skipped: 3 files, too large"), "{status}");
    tree.write("src/big.c", &code);
    let answer = tree.json(&["symbols", "part_7", "--json"]);
    assert_eq!(answer["complete"], false, "{answer}");
    assert!(
        answer["reasons"][0].as_str().is_some_and(|reason| reason.starts_with("not read: src/big.c (")),
        "{answer}"
    );
    let answer = tree.json(&["files", "vendor", "--json"]);
    assert_eq!(answer["complete"], true, "elsewhere: {answer}");
}
