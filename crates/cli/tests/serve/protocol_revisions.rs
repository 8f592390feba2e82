//! Every revision of the protocol, with raw messages.

use crate::http_client::HttpServer;
use crate::sandbox::Sandbox;
use crate::stdio_client::{Stdio, ToolResult, initialize_params};
use serde_json::{Value, json};

const WITH_HELLO: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The metadata of a request in the newest revision, which has no `initialize`.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn revisions_with_initialize_are_negotiated() {
    for version in WITH_HELLO {
        let mut server = Stdio::uninitialized(Sandbox::new(), &[]);
        let answer = server.request("initialize", &initialize_params(version));
        assert_eq!(answer["result"]["protocolVersion"], *version);
        assert!(answer["result"]["instructions"].as_str().is_some_and(|words| words.len() > 200));
        for capability in ["tools", "resources", "prompts", "completions"] {
            assert!(answer["result"]["capabilities"][capability].is_object(), "{capability}: {answer}");
        }
        server.assert_alive();
        assert_eq!(server.request("ping", &json!({}))["result"], json!({}));
    }
}

#[test]
fn the_revision_without_initialize_is_discovered() {
    let mut server = Stdio::uninitialized(Sandbox::new(), &[]);
    let answer = server.request("server/discover", &json!({ "_meta": meta() }));
    let versions =
        answer["result"]["supportedVersions"].as_array().unwrap_or_else(|| panic!("{answer}")).clone();
    assert!(
        versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2024-11-05")),
        "{versions:?}"
    );
    let tools = server.request("tools/list", &json!({ "_meta": meta() }));
    assert!(tools["result"]["tools"].as_array().is_some_and(|tools| !tools.is_empty()), "{tools}");
    let call = json!({ "name": "read", "arguments": { "target": "total" }, "_meta": meta() });
    let said = ToolResult::of(&server.request("tools/call", &call));
    assert!(!said.error && said.text.contains("def total"), "{said:?}");
}

#[test]
fn an_http_session_begins_and_ends() {
    for version in WITH_HELLO {
        let web = HttpServer::new();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize_params(version) });
        let reply = web.request("POST", "/mcp", &[], &body.to_string());
        assert_eq!(reply.message()["result"]["protocolVersion"], *version);
    }
    let web = HttpServer::new();
    let session = web.session();
    let answer =
        web.ask(&session, "tools/call", &json!({ "name": "read", "arguments": { "target": "total" } }));
    assert!(ToolResult::of(&answer).text.contains("def total"));
    let ended = web.request("DELETE", "/mcp", &[("Mcp-Session-Id", &session)], "");
    assert!((200..300).contains(&ended.status), "{ended:?}");
    let metrics = web.request("GET", "/metrics", &[], "");
    assert!(
        metrics.body.contains("orient_tool_seconds_count{tool=\"read\",outcome=\"ok\"} 1"),
        "{}",
        metrics.body
    );
}

#[test]
fn the_newest_revision_needs_no_http_session() {
    let web = HttpServer::new();
    let params = json!({ "name": "read", "arguments": { "target": "total" }, "_meta": meta() });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let headers =
        [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "read")];
    let reply = web.request("POST", "/mcp", &headers, &body);
    assert_eq!(reply.status, 200, "{reply:?}");
    assert!(ToolResult::of(&reply.message()).text.contains("def total"));
}
