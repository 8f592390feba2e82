//! `impact --diff` and `changes`: the uses that a change breaks.

use crate::sandbox::{Sandbox, text};
use serde_json::Value;

/// A repository with these files committed.
fn committed(files: &[(&str, &str)]) -> Sandbox {
    let tree = Sandbox::new(files);
    let root = tree.root();
    orient_testkit::git(&root, &["init", "-q", "-b", "main"]);
    orient_testkit::git(&root, &["add", "-A"]);
    orient_testkit::git(&root, &["commit", "-q", "-m", "start"]);
    tree
}

/// `change symbol path:line within` of each broken use, then the reason or what the use means now.
fn broken(answer: &Value) -> Vec<String> {
    let all = answer["data"]["broken"].as_array().map_or(&[][..], Vec::as_slice);
    assert_eq!(answer["data"]["broken_total"], all.len() as u64, "{answer}");
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let line = |one: &Value| {
        let (change, symbol, path) = (word(&one["change"]), word(&one["symbol"]), word(&one["path"]));
        let told = word(&one["reason"]) + &word(&one["now"]);
        format!("{change} {symbol} {path}:{} {} {told}", one["line"], word(&one["within"])).trim().to_owned()
    };
    all.iter().map(line).collect()
}

fn since_head(tree: &Sandbox) -> Value {
    tree.json(&["impact", "--diff", "HEAD", "--json"])
}

const SERVER: &str = "package app\n\ntype Server struct{ n int }\n\nfunc (s *Server) Run(x int) int {\n\ts.n += x\n\treturn s.n * 2\n}\n";
const MAIN: &str = "package app\n\nfunc use(s *Server) int { return s.Run(1) }\n\nfunc other(s *Server) int { return use(s) }\n";

#[test]
fn callers_of_a_renamed_method_are_told_with_what_the_new_tree_says() {
    let tree = committed(&[
        ("go.mod", "module app\n"),
        ("server.go", SERVER),
        ("main.go", MAIN),
        ("main_test.go", "package app\n\nimport \"testing\"\n\nfunc TestUse(t *testing.T) { use(nil) }\n"),
    ]);
    tree.write("server.go", SERVER.replace(") Run(", ") Execute("));
    let answer = since_head(&tree);
    assert_eq!(
        broken(&answer),
        ["renamed server.go#Server.Run main.go:3 use nothing of this name is known"],
        "{answer}"
    );
    assert_eq!(answer["data"]["broken"][0]["became"], "server.go#Server.Execute");
    assert_eq!((&answer["data"]["tests_total"], &answer["complete"]), (&1.into(), &true.into()), "{answer}");
    let changes = tree.json(&["changes", "HEAD", "--breaking", "--json"]);
    let users = &changes["data"]["changes"][0]["users"];
    assert_eq!((&users["uses_total"], &users["uses"][0]["within"]), (&1.into(), &"use".into()), "{changes}");
    assert_eq!(users["tests"][0], "main_test.go:5 TestUse");
    let shown = text(&tree.run(&["impact", "--diff", "HEAD"]).stdout);
    assert!(shown.contains("1 use is not changed with what it uses"), "{shown}");
}

#[test]
fn users_that_are_changed_with_it_are_not_told() {
    let tree = committed(&[("go.mod", "module app\n"), ("server.go", SERVER), ("main.go", MAIN)]);
    tree.write("server.go", SERVER.replace(") Run(", ") Execute("));
    tree.write("main.go", MAIN.replace("s.Run", "s.Execute"));
    let answer = since_head(&tree);
    assert_eq!(broken(&answer), [""; 0], "{answer}");
    tree.write("main.go", MAIN.replace("s.Run(1)", "s.Run(2)"));
    let answer = since_head(&tree);
    assert_eq!(broken(&answer).len(), 1, "a line that was edited and still has the old name: {answer}");
}

#[test]
fn deleted_function_breaks_its_imports_and_calls() {
    let util = "def helper(x):\n    return x + 1\n\n\ndef rest():\n    return 2\n";
    let tree = committed(&[
        ("util.py", util),
        ("app.py", "from util import helper\n\n\ndef run():\n    return helper(1)\n"),
        ("test_app.py", "from app import run\n\n\ndef test_run():\n    assert run() == 2\n"),
        ("notes.md", "`helper` adds one.\n"),
    ]);
    tree.write("util.py", "def rest():\n    return 2\n");
    let answer = since_head(&tree);
    let places: Vec<_> = answer["data"]["broken"].as_array().expect("a list").iter().collect();
    let lines: Vec<_> = places.iter().map(|one| (&one["path"], &one["line"])).collect();
    assert_eq!(lines, [(&"app.py".into(), &1.into()), (&"app.py".into(), &5.into())], "{answer}");
    assert_eq!(answer["data"]["broken_by_name"][0]["mentions"], serde_json::json!(["notes.md:1"]));
    assert_eq!(answer["data"]["tests"][0]["steps"][0]["name"], "test_run", "{answer}");
    let tests = text(&tree.run(&["impact", "--diff", "HEAD", "--tests-only"]).stdout);
    assert!(tests.contains("1 test reaches it"), "{tests}");
}

#[test]
fn deleted_file_breaks_what_imports_it() {
    let tree = committed(&[
        ("shop/__init__.py", ""),
        ("shop/rates.py", "TAX = 7\n"),
        ("app.py", "from shop import rates\n\n\ndef run():\n    return rates.TAX\n"),
    ]);
    std::fs::remove_file(tree.root().join("shop/rates.py")).expect("it is removed");
    let told = broken(&since_head(&tree)).join("\n");
    assert!(told.contains("removed shop/rates.py app.py:1"), "{told}");
    assert!(told.contains("removed shop/rates.py#TAX app.py:5 run"), "{told}");
}

#[test]
fn moved_function_breaks_those_who_still_import_it_from_its_old_place() {
    let body = "def total(items):\n    count = 0\n    for item in items:\n        count += item.price * item.count\n    return count\n";
    let tree = committed(&[
        ("a.py", body),
        ("b.py", "X = 1\n"),
        ("one.py", "from a import total\n\n\ndef one():\n    return total([])\n"),
        ("two.py", "from a import total\n\n\ndef two():\n    return total([])\n"),
    ]);
    tree.write("a.py", "");
    tree.write("b.py", format!("X = 1\n\n\n{body}"));
    tree.write("two.py", "from b import total\n\n\ndef two():\n    return total([])\n");
    let answer = since_head(&tree);
    let told = broken(&answer);
    assert!(told.iter().all(|one| one.starts_with("moved a.py#total one.py:")), "{told:?}");
    assert_eq!(told.len(), 2, "{told:?}");
}

#[test]
fn less_visible_function_breaks_uses_elsewhere_only() {
    let tree = committed(&[
        ("Cargo.toml", "[package]\nname = \"app\"\n"),
        ("src/lib.rs", "pub mod a;\npub mod b;\n"),
        ("src/a.rs", "pub fn rate() -> u32 {\n    7\n}\n\npub fn near() -> u32 {\n    rate()\n}\n"),
        ("src/b.rs", "pub fn far() -> u32 {\n    crate::a::rate()\n}\n"),
    ]);
    tree.write("src/a.rs", "fn rate() -> u32 {\n    7\n}\n\npub fn near() -> u32 {\n    rate()\n}\n");
    let answer = since_head(&tree);
    let told = broken(&answer);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("signature+visibility src/a.rs#rate src/b.rs:2 far"), "{told:?}");
}

#[test]
fn use_that_means_another_symbol_now_names_it() {
    let base = "class Base:\n    def area(self):\n        return 1\n\n\n";
    let own = "class Circle(Base):\n    def area(self):\n        return 3\n\n    def name(self):\n        return 'c'\n";
    let tree = committed(&[
        ("shapes.py", &format!("{base}{own}")),
        ("app.py", "from shapes import Circle\n\n\ndef run():\n    return Circle().area()\n"),
    ]);
    let without = "class Circle(Base):\n    def name(self):\n        return 'c'\n";
    tree.write("shapes.py", format!("{base}{without}"));
    assert_eq!(
        broken(&since_head(&tree)),
        ["removed shapes.py#Circle.area app.py:5 run shapes.py#Base.area"]
    );
}

#[test]
fn a_diff_is_followed_if_it_leads_from_head_to_the_working_tree() {
    let tree = committed(&[("go.mod", "module app\n"), ("server.go", SERVER), ("main.go", MAIN)]);
    tree.write("server.go", SERVER.replace(") Run(", ") Execute("));
    let diff = |before: &str| {
        format!(
            "--- a/server.go\n+++ b/server.go\n@@ -5 +5 @@\n-{before}\n+func (s *Server) Execute(x int) int {{\n"
        )
    };
    let ask = |diff: &str| {
        let path = tree.root().with_file_name("change.diff");
        std::fs::write(&path, diff).expect("it is written");
        tree.json(&["impact", "--diff", path.to_str().expect("a plain path"), "--json"])
    };
    let answer = ask(&diff("func (s *Server) Run(x int) int {"));
    assert_eq!(broken(&answer).len(), 1, "{answer}");
    let answer = ask(&diff("func (s *Server) Start(x int) int {"));
    assert_eq!(answer["complete"], false, "{answer}");
    assert!(answer["reasons"].to_string().contains("does not lead from HEAD"), "{answer}");
}

#[test]
fn two_revisions_are_compared_with_the_trees_of_both() {
    let tree = committed(&[("go.mod", "module app\n"), ("server.go", SERVER), ("main.go", MAIN)]);
    let commit = |message: &str| orient_testkit::git(&tree.root(), &["commit", "-q", "-am", message]);
    tree.write("server.go", SERVER.replace(") Run(", ") Execute("));
    commit("rename");
    tree.write("main.go", MAIN.replace("s.Run", "s.Execute"));
    commit("follow");
    let users = |range: &str| {
        let answer = tree.json(&["changes", range, "--breaking", "--json"]);
        answer["data"]["changes"][0]["users"]["uses_total"].clone()
    };
    assert_eq!(users("HEAD~2..HEAD~1"), 1);
    assert_eq!(users("HEAD~2..HEAD"), 0);
}
