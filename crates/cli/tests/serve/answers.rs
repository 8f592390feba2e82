//! Answers of tools: the token budget, the status line, no repetition.

use crate::sandbox::Sandbox;
use crate::stdio_client::Stdio;
use serde_json::json;

#[test]
fn an_answer_ends_with_its_status_line() {
    let mut server = Stdio::new();
    let said = server.call("graph", &json!({ "relation": "callers", "symbol": "total" }));
    assert!(said.text.contains("shop/cart.py:6"), "{}", said.text);
    assert!(said.text.ends_with("[complete; generation 1]"), "{}", said.text);
    assert_eq!(said.structured["complete"], true);
    assert_eq!(said.structured["generation"], 1);
}

#[test]
fn the_next_answer_reflects_a_change() {
    let mut server = Stdio::new();
    server.assert_alive();
    server.tree.write("shop/cart.py", "def total(items):\n    return 7\n");
    let said = server.call("read", &json!({ "target": "total" }));
    assert!(said.text.contains("return 7"), "{}", said.text);
    assert_eq!(said.structured["generation"], 2);
}

#[test]
fn cursors_lead_through_all_parts_of_an_answer() {
    let mut server = Stdio::new();
    let question =
        |cursor: Option<&str>| json!({ "target": "shop/parts.py", "max_tokens": 800, "cursor": cursor });
    let (mut lines, mut cursor) = (Vec::new(), None);
    loop {
        let said = server.call("read", &question(cursor.as_deref()));
        assert!(!said.error, "{said:?}");
        assert!(said.text.len() < 800 * 5, "{}", said.text.len());
        lines.extend(said.text.lines().filter(|line| line.contains("def part_")).map(str::to_owned));
        cursor = said.structured["next"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
        assert!(said.text.contains("next cursor"), "{}", said.text);
    }
    // `read` shows the first 500 lines of a file; the answer says how to continue.
    assert!(lines.len() >= 125, "{}", lines.len());
    let mut once = lines.clone();
    once.dedup();
    assert_eq!(once, lines);
}

#[test]
fn lines_sent_before_are_left_out_on_request_only() {
    let mut server = Stdio::new();
    let question = json!({ "target": "shop/cart.py", "again": false });
    let first = server.call("read", &question);
    let second = server.call("read", &question);
    assert!(second.text.contains("sent before") && !second.text.contains("def total"), "{}", second.text);
    assert!(second.text.len() < first.text.len() * 2, "{}", second.text);
    // Another agent on the same connection, or one whose context was compacted, gets everything.
    let third = server.call("read", &json!({ "target": "shop/cart.py" }));
    assert!(third.text.contains("def total") && !third.text.contains("sent before"), "{}", third.text);
    server.tree.write("shop/cart.py", "def total(items):\n    return 8\n");
    let fourth = server.call("read", &question);
    assert!(fourth.text.contains("return 8"), "what has changed is sent: {}", fourth.text);
}

#[test]
fn misspelled_arguments_are_corrected_with_a_note() {
    let mut server = Stdio::new();
    let sent = json!({ "type": "who_calls", "function": "total", "maxTokens": "500" });
    let said = server.call("graph", &sent);
    assert!(!said.error && said.text.contains("shop/cart.py:6"), "{said:?}");
    assert!(said.text.contains("note: ") && said.structured["notes"].is_array(), "{said:?}");
}

#[test]
fn an_ambiguous_name_is_an_error_with_candidates() {
    let tree = Sandbox::new();
    tree.write("a.py", "def twin():\n    pass\n");
    tree.write("b.py", "def twin():\n    pass\n");
    let mut server = Stdio::with(tree, &[]);
    let said = server.call("read", &json!({ "target": "twin" }));
    assert!(said.error && said.text.contains("a.py#twin") && said.text.contains("b.py#twin"), "{said:?}");
}

#[test]
fn tools_for_single_operations_return_data() {
    let mut server = Stdio::with(Sandbox::new(), &["--tools", "all"]);
    let tools = server.request("tools/list", &json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert!(names.len() > 12 && names.contains(&"callers") && !names.contains(&"gc"), "{names:?}");
    let said = server.call("symbols", &json!({ "name": "total" }));
    assert_eq!(said.structured["data"]["symbols"][0]["handle"], "shop/cart.py#total", "{said:?}");
}

#[test]
fn tools_can_be_selected_by_either_name() {
    let mut server = Stdio::with(Sandbox::new(), &["--tools", "read,callers"]);
    let tools = server.request("tools/list", &json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(names, ["read", "callers"]);
}

#[test]
fn text_search_answers_while_the_first_index_is_built() {
    // At any moment, the answer is correct or says what to do.
    let mut server = Stdio::new();
    let said = server.call("grep", &json!({ "pattern": "def total" }));
    assert!(!said.error && said.text.contains("def total"), "{said:?}");
}

#[test]
fn resources_and_prompts_are_available() {
    let mut server = Stdio::new();
    let files = server.request("resources/list", &json!({}));
    let uris: Vec<&str> = files["result"]["resources"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["uri"].as_str())
        .collect();
    assert_eq!(uris, ["orient://file/shop/cart.py", "orient://file/shop/parts.py"]);
    let read = server.request("resources/read", &json!({ "uri": "orient://symbol/shop/cart.py%23total" }));
    assert_eq!(read["result"]["contents"][0]["text"], "def total(items):\n    return sum(items)\n");
    let params = json!({ "ref": { "type": "ref/resource", "uri": "orient://symbol/{+handle}" }, "argument": { "name": "handle", "value": "tot" } });
    let completed = server.request("completion/complete", &params);
    assert_eq!(completed["result"]["completion"]["values"], json!(["shop/cart.py#total"]));
    let prompt =
        server.request("prompts/get", &json!({ "name": "plan_change", "arguments": { "change": "round" } }));
    assert!(
        prompt["result"]["messages"][0]["content"]["text"]
            .as_str()
            .is_some_and(|text| text.contains("round"))
    );
    assert!(server.request("prompts/get", &json!({ "name": "plan_change" }))["error"].is_object());
}

#[cfg(unix)]
#[test]
fn unreadable_files_make_answers_partial() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Sandbox::new();
    tree.write("locked--away/x.py", "def hidden():\n    return total([])\n");
    let locked = tree.root().join("locked--away");
    let set = |mode| {
        std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(mode)).expect("permissions");
    };
    set(0o000);
    let mut server = Stdio::unprivileged(tree);
    let questions = [
        ("search", json!({ "query": "hidden" })),
        ("context", json!({ "task": "total" })),
        ("read", json!({ "target": "hidden" })),
        ("graph", json!({ "relation": "callers", "symbol": "total" })),
        ("graph", json!({ "relation": "references", "symbol": "total" })),
        ("graph", json!({ "relation": "impact", "symbol": "total" })),
        ("graph", json!({ "relation": "rdeps", "symbol": "shop/cart.py" })),
        ("overview", json!({ "about": "map" })),
        ("overview", json!({ "about": "files" })),
        ("overview", json!({ "about": "unused" })),
        ("grep", json!({ "pattern": "hidden" })),
    ];
    for (tool, arguments) in questions {
        let said = server.call(tool, &arguments);
        let last = said.text.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("[partial: ") && last.contains("locked--away"),
            "{tool} {arguments}: {last}"
        );
        assert_eq!(said.structured["complete"], false, "{tool} {arguments}");
    }
    let said = server.call("read", &json!({ "target": "total" }));
    assert_eq!(said.structured["complete"], true, "{}", said.text);
    set(0o755);
    let said = server.call("read", &json!({ "target": "hidden" }));
    assert!(!said.error && said.text.contains("def hidden"), "{}", said.text);
}
