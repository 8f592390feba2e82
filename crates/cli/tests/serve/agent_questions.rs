//! Questions as agents ask them: names as people and other tools write them, directories, classes, tests, hints that an agent can use.

use crate::sandbox::Sandbox;
use crate::stdio_client::{Stdio, ToolResult};
use serde_json::{Value, json};

/// A tree with an overloaded method, a package, an inherited member, a long class, and tests.
fn tree() -> Sandbox {
    let tree = Sandbox::new();
    tree.write(
        "src/main/java/org/clinic/owner/Owner.java",
        "package org.clinic.owner;\n\npublic class Owner {\n\tpublic Pet getPet(String name) {\n\t\treturn getPet(name, false);\n\t}\n\n\
         \tpublic Pet getPet(Integer id) {\n\t\treturn null;\n\t}\n\n\
         \tpublic Pet getPet(String name, boolean ignoreNew) {\n\t\treturn null;\n\t}\n}\n",
    );
    tree.write(
        "src/main/java/org/clinic/owner/Pet.java",
        "package org.clinic.owner;\n\npublic class Pet {\n}\n",
    );
    tree.write(
        "gin/context.go",
        "package gin\n\ntype Context struct{}\n\nfunc (c *Context) ClientIP() string {\n\treturn \"\"\n}\n",
    );
    tree.write(
        "src/Illuminate/Support/Str.php",
        "<?php\n\nnamespace Illuminate\\Support;\n\nclass Str\n{\n    public static function slug($title)\n    {\n        return $title;\n    }\n}\n",
    );
    tree.write(
        "web/scaffold.py",
        "class Scaffold:\n    def route(self, rule):\n        return rule\n\n\nclass Flask(Scaffold):\n    def run(self):\n        \
         return self.route('/')\n",
    );
    tree.write(
        "web/test_scaffold.py",
        "from web.scaffold import Flask\n\n\ndef test_run():\n    assert Flask().run() == '/'\n",
    );
    tree
}

fn ask(server: &mut Stdio, tool: &str, arguments: &Value) -> ToolResult {
    let said = server.call(tool, arguments);
    assert!(!said.error, "{tool} {arguments}: {}", said.text);
    said
}

/// Texts for the numbers from 0, one after the other.
fn repeated(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect::<Vec<_>>().concat()
}

#[test]
fn names_are_understood_as_people_and_other_tools_write_them() {
    let mut server = Stdio::with(tree(), &[]);
    for (name, expected) in [
        ("gin.Context.ClientIP", "func (c *Context) ClientIP"),
        ("(*Context).ClientIP", "func (c *Context) ClientIP"),
        ("Context.ClientIP()", "func (c *Context) ClientIP"),
        ("org.clinic.owner.Owner", "public class Owner"),
        ("\\Illuminate\\Support\\Str", "class Str"),
        ("Str->slug", "function slug"),
        ("Str::slug", "function slug"),
        ("Owner#getPet(String)", "getPet(String name) {"),
        ("Owner.getPet(Integer)", "getPet(Integer id) {"),
        ("Owner.getPet(String, boolean)", "boolean ignoreNew"),
        ("Flask.route", "def route"),
        ("scaffold.py", "class Scaffold"),
        ("scaffold.py:3:5", "def route"),
        ("web/scaffold.py#L3", "def route"),
        ("web/scaffold.py:6-7", "class Flask"),
    ] {
        let said = ask(&mut server, "read", &json!({ "target": name }));
        assert!(said.text.contains(expected), "{name}: {}", said.text);
    }
    let said = ask(&mut server, "graph", &json!({ "relation": "callers", "symbol": "scaffold.py:2" }));
    assert!(said.text.contains("Flask.run"), "a place names the symbol around it: {}", said.text);
    let wrong = server.call("read", &json!({ "target": "numpy.Owner.getPet" }));
    assert!(wrong.error, "a package that the symbol is not in is not a reading: {}", wrong.text);
}

#[test]
fn a_directory_is_answered_with_its_outline_and_a_class_with_its_members() {
    let mut server = Stdio::with(tree(), &[]);
    let said = ask(&mut server, "read", &json!({ "target": "web" }));
    assert!(
        said.text.contains("class Scaffold") && said.text.contains("web/test_scaffold.py"),
        "{}",
        said.text
    );
    let said = ask(&mut server, "read", &json!({ "target": "Scaffold", "view": "outline" }));
    assert!(said.text.contains("def route") && !said.text.contains("Flask"), "{}", said.text);
    let said = ask(&mut server, "read", &json!({ "target": "Owner", "view": "collapsed" }));
    assert!(said.text.contains("getPet(Integer id)"), "{}", said.text);
}

#[test]
fn a_collapsed_view_omits_bodies() {
    let tree = Sandbox::new();
    let body = repeated(40, |line| format!("        step_{line}()\n"));
    tree.write(
        "long.py",
        &format!("class Long:\n    def first(self):\n{body}\n    def second(self):\n{body}"),
    );
    let mut server = Stdio::with(tree, &[]);
    let said = ask(&mut server, "read", &json!({ "target": "Long", "view": "collapsed" }));
    assert!(said.text.contains("def first") && said.text.contains("def second"), "{}", said.text);
    assert!(!said.text.contains("step_20"), "{}", said.text);
}

#[test]
fn the_tests_that_reach_a_symbol_are_a_relation() {
    let mut server = Stdio::with(tree(), &[]);
    let said = ask(&mut server, "graph", &json!({ "relation": "tests", "symbol": "Scaffold.route" }));
    assert!(said.text.contains("test_run") && said.text.contains("1 test reaches it"), "{}", said.text);
}

#[test]
fn the_impact_of_a_diff_needs_no_symbol() {
    let mut server = Stdio::with(tree(), &[]);
    let diff = "--- a/web/scaffold.py\n+++ b/web/scaffold.py\n@@ -3 +3 @@\n-        return 1\n+        return rule\n";
    let said = ask(&mut server, "graph", &json!({ "relation": "impact", "diff": diff }));
    assert!(said.text.contains("Flask.run"), "{}", said.text);
}

#[test]
fn an_exact_name_is_answered_with_that_symbol_alone() {
    let mut server = Stdio::with(tree(), &[]);
    let said = ask(&mut server, "search", &json!({ "query": "Scaffold" }));
    assert!(said.text.contains("web/scaffold.py:1-3  class Scaffold"), "{}", said.text);
    assert!(said.text.contains("verified use") && !said.text.contains("test_scaffold"), "{}", said.text);
    assert!(
        orient_tools::tokens(&said.text) <= 150,
        "{} tokens: {}",
        orient_tools::tokens(&said.text),
        said.text
    );
    let more = ask(&mut server, "search", &json!({ "query": "Scaffold", "limit": 5 }));
    assert!(more.text.len() > said.text.len(), "a limit asks for more: {}", more.text);
}

#[test]
fn hints_name_tools_not_commands() {
    let mut server = Stdio::with(tree(), &[]);
    for (tool, arguments) in [
        ("graph", json!({ "relation": "impact" })),
        ("graph", json!({ "relation": "trace", "symbol": "nothing_like_it" })),
        ("search", json!({ "query": "" })),
        ("search", json!({ "query": "fn\\s+\\w+" })),
        ("overview", json!({ "about": "files", "path": "no/such/directory" })),
        ("read", json!({ "target": "no/such/file.py" })),
    ] {
        let said = server.call(tool, &arguments);
        for command in ["`orient ", " --"] {
            assert!(!said.text.contains(command), "{tool} {arguments}: {}", said.text);
        }
    }
}

#[test]
fn references_are_grouped_by_file_and_continue_beyond_a_hundred() {
    let tree = Sandbox::new();
    let calls = repeated(240, |at| format!("def caller_{at}():\n    return helper()\n\n\n"));
    tree.write("many.py", &format!("def helper():\n    return 1\n\n\n{calls}"));
    let mut server = Stdio::with(tree, &[]);
    let question =
        |cursor: Option<&str>| json!({ "relation": "references", "symbol": "helper", "cursor": cursor });
    let (mut uses, mut paths, mut cursor) = (0, 0, None::<String>);
    loop {
        let said = ask(&mut server, "graph", &question(cursor.as_deref()));
        uses += said.text.lines().filter(|line| line.contains("caller_")).count();
        paths += said.text.matches("many.py").count();
        cursor = said.structured["next"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
        let real = orient_tools::tokens(&said.text);
        assert!((1_700..=2_000).contains(&real), "an answer uses its budget: {real} tokens");
        assert!(said.text.contains(" of this answer"), "{}", said.text);
    }
    assert_eq!(uses, 240);
    assert!(paths < 10, "the path is not repeated: {paths}");
}

#[test]
fn no_hit_is_a_lone_bracket() {
    let tree = Sandbox::new();
    let method = |at| format!("    int compute{at}(int x) {{\n        return x + {at};\n    }}\n\n");
    let methods = repeated(6, method);
    tree.write("Basket.java", &format!("public class Basket {{\n{methods}}}\n"));
    let mut server = Stdio::with(tree, &[]);
    let said = ask(&mut server, "search", &json!({ "query": "basket compute", "limit": 50 }));
    for pair in said.text.lines().collect::<Vec<_>>().windows(2) {
        let is_hit = pair[0].contains(".java:");
        let text = pair[1].trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace());
        assert!(!is_hit || text != "}", "{}", said.text);
    }
}

#[test]
fn credentials_are_redacted_on_request_and_counted() {
    let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let tree = || {
        let tree = Sandbox::new();
        tree.write(
            "keys.py",
            &format!("GITHUB_TOKEN = \"{token}\"\n\n\ndef connect():\n    return GITHUB_TOKEN\n"),
        );
        tree
    };
    let mut server = Stdio::with(tree(), &["--set", "serve.redact=true"]);
    let said = ask(&mut server, "read", &json!({ "target": "keys.py" }));
    assert!(!said.text.contains(&token) && said.text.contains("[redacted GitHub token]"), "{}", said.text);
    assert!(said.text.ends_with("; 1 credential redacted]"), "{}", said.text);
    let said = ask(&mut server, "grep", &json!({ "pattern": "GITHUB_TOKEN" }));
    assert!(!said.text.contains(&token), "{}", said.text);
    let mut server = Stdio::with(tree(), &[]);
    let said = ask(&mut server, "read", &json!({ "target": "keys.py" }));
    assert!(said.text.contains(&token), "a local agent sees what its user sees: {}", said.text);
}

#[test]
fn quoted_phrases_match_literally() {
    let tree = Sandbox::new();
    tree.write("a.py", "def first():\n    raise ValueError('order not found')\n");
    tree.write("b.py", "def second():\n    raise ValueError('not order found, order found not')\n");
    let mut server = Stdio::with(tree, &[]);
    let said = ask(&mut server, "search", &json!({ "query": "which error says \"order not found\"" }));
    assert!(said.text.contains("a.py") && !said.text.contains("b.py"), "{}", said.text);
}

#[test]
fn all_words_can_be_required() {
    let tree = Sandbox::new();
    tree.write("a.py", "def first():\n    Cache.flush(timeout=3)\n");
    tree.write("b.py", "def second():\n    return cache.flush_everything_now()\n");
    let mut server = Stdio::with(tree, &[]);
    let either = ask(&mut server, "search", &json!({ "query": "cache timeout", "limit": 10 }));
    assert!(either.text.contains("a.py") && either.text.contains("b.py"), "{}", either.text);
    let both = ask(&mut server, "search", &json!({ "query": "cache timeout", "all_words": true }));
    assert!(both.text.contains("a.py") && !both.text.contains("b.py"), "{}", both.text);
}
