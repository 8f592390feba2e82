//! Attacks on arguments: a wrong type, size or value becomes a short error that says what to do.

use crate::attack;
use crate::sandbox::Sandbox;
use crate::stdio_client::{Stdio, ToolResult};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Calls a tool; the answer must be quick and short.
fn asked(tool: &str, arguments: &Value) -> ToolResult {
    let mut server = Stdio::new();
    server.assert_alive();
    let begun = Instant::now();
    let said = server.call(tool, arguments);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert!(said.text.len() < 9_000, "{} bytes", said.text.len());
    server.assert_alive();
    said
}

/// Checks that a call fails with an error that says what to do.
fn refused(tool: &str, arguments: &Value) -> String {
    asked(tool, arguments).assert_helpful_error().text.clone()
}

attack!(arguments_are_a_list, "a list for arguments: refused", {
    let mut server = Stdio::new();
    let answer = server.request("tools/call", &json!({ "name": "read", "arguments": [1] }));
    assert!(answer["error"].is_object() || answer["result"]["isError"] == true, "{answer}");
    server.assert_alive();
});
attack!(unknown_tool, "a tool nobody offers: -32602, with the one that was meant", {
    let mut server = Stdio::new();
    let answer = server.request("tools/call", &json!({ "name": "callers", "arguments": {} }));
    assert_eq!(answer["error"]["code"], -32602);
    assert!(answer["error"]["message"].as_str().is_some_and(|words| words.contains("`graph`")), "{answer}");
});
attack!(tool_with_escapes, "control characters in the name of a tool: visible in the message", {
    let mut server = Stdio::new();
    let answer = server.request("tools/call", &json!({ "name": "\u{1b}[2Jx", "arguments": {} }));
    assert!(answer["error"]["message"].as_str().is_some_and(|words| words.contains("\\u{1b}")), "{answer}");
});
attack!(unknown_argument, "an unknown argument: refused, with the nearest known", {
    assert!(
        refused("graph", &json!({ "relation": "callers", "symbol": "total", "dpeth": 2 }))
            .contains("`depth`")
    );
});
attack!(proto_argument, "`__proto__` and `constructor` for arguments: refused like any other", {
    refused("read", &json!({ "target": "total", "__proto__": { "admin": true } }));
});
attack!(missing_argument, "a required argument left out: refused, with an example", {
    assert!(refused("read", &json!({})).contains("for example"));
});
attack!(object_for_text, "an object for a name: refused", {
    let said = asked("read", &json!({ "target": { "$ne": null } }));
    assert!(said.error && said.text.contains("must be text"), "{said:?}");
});
attack!(
    negative_depth,
    "a negative depth: refused",
    assert!(asked("graph", &json!({ "relation": "callers", "symbol": "total", "depth": -1 })).error)
);
attack!(endless_depth, "a depth of four thousand million: answered soon", {
    let said =
        asked("graph", &json!({ "relation": "callers", "symbol": "total", "depth": 4_000_000_000_u64 }));
    assert!(!said.error, "{said:?}");
});
attack!(depth_beyond_numbers, "a depth beyond all numbers: refused", {
    assert!(asked("graph", &json!({ "relation": "callers", "symbol": "total", "depth": 1e300 })).error);
});
attack!(endless_budget, "a budget of a million tokens: held to the most there is, and said", {
    let said = asked("read", &json!({ "target": "total", "max_tokens": 1_000_000 }));
    assert!(said.text.contains("using 16000"), "{said:?}");
});
attack!(no_budget, "a budget of nothing, or less: the least that makes sense", {
    for budget in [json!(0), json!(-5), json!("0")] {
        let said = asked("overview", &json!({ "about": "map", "max_tokens": budget }));
        assert!(said.text.len() < 1200, "{said:?}");
    }
});
attack!(cursor_of_another, "a cursor of another question: refused", {
    let mut server = Stdio::new();
    let first = server.call("grep", &json!({ "pattern": "def", "max_tokens": 300 }));
    let cursor = first.structured["next"].as_str().expect("there is more").to_owned();
    server
        .call("grep", &json!({ "pattern": "return", "max_tokens": 300, "cursor": cursor }))
        .assert_helpful_error();
});
attack!(cursor_made_up, "cursors made up: refused", {
    for cursor in
        ["x", "~1@1", "~99999999999999999999@1.0000", "~-1@0.0000", "../../etc", "'; drop table files; --"]
    {
        refused("grep", &json!({ "pattern": "def", "cursor": cursor }));
    }
});
attack!(cursor_far_beyond, "a cursor far behind the end: an empty part, not a fault", {
    let mut server = Stdio::new();
    let first = server.call("grep", &json!({ "pattern": "def", "max_tokens": 300 }));
    let cursor = first.structured["next"].as_str().expect("there is more").to_owned();
    let (_, tail) = cursor.split_once('@').expect("its form");
    let said = server
        .call("grep", &json!({ "pattern": "def", "max_tokens": 300, "cursor": format!("~900000@{tail}") }));
    assert!(!said.error, "{said:?}");
    server.assert_alive();
});
attack!(pattern_that_explodes, "a pattern that would need gigabytes: refused soon", {
    assert!(asked("grep", &json!({ "pattern": "(\\w{1000}){1000}" })).error);
});
attack!(pattern_that_backtracks, "a pattern made to backtrack for ever: answered soon", {
    asked("grep", &json!({ "pattern": "(a|a)*(a|a)*(a|a)*(a|a)*b" }));
});
attack!(
    pattern_that_is_none,
    "a broken pattern: refused",
    assert!(asked("grep", &json!({ "pattern": "(((" })).error)
);
attack!(pattern_for_everything, "a pattern that matches every line: within the budget, with a cursor", {
    let said = asked("grep", &json!({ "pattern": "" }));
    assert!(said.structured["next"].is_string(), "{said:?}");
});
attack!(glob_that_explodes, "a glob of nested braces: answered or refused soon", {
    asked("overview", &json!({ "about": "files", "path": "{a,{b,".repeat(200) }));
    asked("grep", &json!({ "pattern": "x", "glob": ["{a,{b,".repeat(200)] }));
});
attack!(name_without_end, "a name of a megabyte: refused, and not sent back", {
    let said = asked("read", &json!({ "target": "x".repeat(1 << 20) }));
    assert!(said.error && said.text.len() < 3000, "{} bytes", said.text.len());
});
attack!(lines_beyond_numbers, "lines that are no lines: refused", {
    for lines in ["0-0", "99999999999-1", "-", "1-0", "a-b"] {
        assert!(asked("read", &json!({ "target": "shop/cart.py", "lines": lines })).error, "{lines}");
    }
});
attack!(statement_for_a_name, "SQL for a name: just a name that is not there", {
    let said = asked("search", &json!({ "query": "x' UNION SELECT * FROM files; --" }));
    assert!(!said.text.contains("syntax error"), "{said:?}");
});
attack!(upkeep_by_agents, "maintenance operations: no tool offers them", {
    let mut server = Stdio::with(Sandbox::new(), &["--tools", "all"]);
    for tool in ["index", "gc", "config", "dump", "audit", "scip", "enrich", "embed", "export", "import"] {
        let answer = server.request("tools/call", &json!({ "name": tool, "arguments": {} }));
        assert_eq!(answer["error"]["code"], -32602, "{tool}: {answer}");
    }
});
attack!(pattern_file, "a file of patterns from outside: refused", {
    let mut server = Stdio::with(Sandbox::new(), &["--tools", "all"]);
    let file = server.tree.outside("words", "total\n");
    let said = server.call("grep", &json!({ "file": [file] }));
    assert!(said.error, "{said:?}");
});
attack!(many_at_once, "two hundred calls at once: all answered", {
    let mut server = Stdio::new();
    server.assert_alive();
    for id in 0..200 {
        server.line(
            &json!({ "jsonrpc": "2.0", "id": 10_000 + id, "method": "tools/call",
            "params": { "name": "read", "arguments": { "target": "total", "again": true } } })
            .to_string(),
        );
    }
    let mut answered = 0;
    while answered < 200 {
        answered += usize::from(server.message()["result"]["isError"] == false);
    }
    server.assert_alive();
});
