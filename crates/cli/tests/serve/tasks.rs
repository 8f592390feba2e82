//! A task over MCP: what the server sends is the evidence, and a restart loses nothing.

use crate::stdio_client::Stdio;
use serde_json::json;

fn said(server: &mut Stdio, tool: &str, arguments: &serde_json::Value) -> String {
    server.call(tool, arguments).text
}

#[test]
fn what_the_server_sent_is_evidence_and_what_it_did_not_send_is_not() {
    let mut server = Stdio::new();
    let started = said(
        &mut server,
        "task",
        &json!({ "action": "start", "intent": "investigate", "text": "how is the total made" }),
    );
    assert!(started.contains("phase exploration"), "{started}");
    let claim = json!({ "action": "submit", "symbols": ["total"], "files": ["shop/cart.py"] });
    let refused = said(&mut server, "task", &claim);
    assert!(refused.contains("was not shown in this task"), "{refused}");
    assert!(refused.contains("`read {"), "it names the call that supplies it: {refused}");
    let read = said(&mut server, "read", &json!({ "target": "total" }));
    assert!(read.contains("total"), "{read}");
    let accepted = said(&mut server, "task", &claim);
    assert!(accepted.contains("phase ready"), "{accepted}");
}
