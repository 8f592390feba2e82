//! Attacks on the protocol: malformed messages are answered with an error or ignored; none ends the session.

use crate::attack;
use crate::sandbox::Sandbox;
use crate::stdio_client::{Stdio, initialize_params};
use serde_json::json;

const PARSE: i64 = -32700;
const INVALID: i64 = -32600;
const NO_METHOD: i64 = -32601;
const PARAMS: i64 = -32602;

/// Checks that a line is rejected with a code and the session continues.
fn refused(line: &[u8], code: i64) {
    let mut server = Stdio::new();
    assert_eq!(server.error_code(line), code);
    server.assert_alive();
}

/// Checks that lines are ignored and the session continues.
fn ignored(lines: &[&str]) {
    let mut server = Stdio::new();
    for line in lines {
        server.line(line);
    }
    server.assert_alive();
}

attack!(not_json, "a line that is no JSON: answered with -32700", refused(b"hello {", PARSE));
attack!(half_json, "JSON that ends too soon: -32700", refused(b"{\"jsonrpc\":\"2.0\",\"id\":1,", PARSE));
attack!(
    not_text,
    "bytes that are not UTF-8: -32700",
    refused(b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\xfe\"}", PARSE)
);
attack!(lone_surrogate, "half of a surrogate pair in a text: -32700, and the id is null", {
    let line = br#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"\ud800"}}"#;
    refused(line, PARSE);
});
attack!(nul_bytes, "NUL bytes: -32700", refused(b"\0\0\0", PARSE));
attack!(
    deep_nesting,
    "a hundred thousand brackets: -32700, no stack overflow",
    refused(&b"[".repeat(100_000), PARSE)
);
attack!(deep_arguments, "deeply nested arguments: -32700", {
    let nested = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
    refused(
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{{\"a\":{nested}}}}}")
            .as_bytes(),
        PARSE,
    );
});
attack!(byte_order_mark, "a byte order mark in front: -32700", refused(b"\xef\xbb\xbf{}", PARSE));
attack!(empty_batch, "an empty batch: -32600", refused(b"[]", INVALID));
attack!(bare_number, "a number for a message: -32600", refused(b"42", INVALID));
attack!(bare_text, "a string for a message: -32600", refused(b"\"ping\"", INVALID));
attack!(bare_null, "null for a message: -32600", refused(b"null", INVALID));
attack!(no_version, "no `jsonrpc`: -32600", refused(b"{\"id\":1,\"method\":\"ping\"}", INVALID));
attack!(
    old_version,
    "`jsonrpc` 1.0: -32600",
    refused(b"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", INVALID)
);
attack!(
    method_is_a_number,
    "a number for a method: -32600",
    refused(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", INVALID)
);
attack!(id_is_an_object, "an object for an id: refused", {
    let mut server = Stdio::new();
    server.line("{\"jsonrpc\":\"2.0\",\"id\":{\"a\":1},\"method\":\"tools/list\"}");
    server.assert_alive();
});
attack!(unknown_method, "a method nobody knows: -32601", {
    let mut server = Stdio::new();
    assert_eq!(server.request("tools/delete", &json!({}))["error"]["code"], NO_METHOD);
    server.assert_alive();
});
attack!(method_with_escapes, "control characters in a method: -32601, and visible in the message", {
    let mut server = Stdio::new();
    let answer = server.request("\u{1b}[2J\u{202e}x", &json!({}));
    assert_eq!(answer["error"]["code"], NO_METHOD);
    assert!(answer["error"]["message"].as_str().is_some_and(|words| words.contains("\\u{1b}")), "{answer}");
});
attack!(line_too_long, "a line of nine megabytes: -32600, and it is not kept", {
    let mut line = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"".to_vec();
    line.resize(9 << 20, b'x');
    refused(&line, INVALID);
});
attack!(line_without_end, "an unfinished line, then the end: the process ends well", {
    let mut server = Stdio::new();
    server.bytes(b"{\"jsonrpc\":\"2.0\"");
    assert_eq!(server.end(), Some(0));
});
attack!(end_at_once, "the end before anything was said: the process ends well", {
    assert_eq!(Stdio::uninitialized(Sandbox::new(), &[]).end(), Some(0));
});
attack!(empty_lines, "empty lines: left aside", ignored(&["", "\r", "   "]));
attack!(flood_of_notifications, "two thousand notifications: left aside", {
    ignored(&vec!["{\"jsonrpc\":\"2.0\",\"method\":\"notifications/whatever\",\"params\":{\"x\":1}}"; 2000]);
});
attack!(answer_to_nothing, "an answer nobody asked for: left aside", {
    ignored(&[
        "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":98,\"error\":{\"code\":1,\"message\":\"x\"}}",
    ]);
});
attack!(cancel_of_nothing, "the cancellation of what is not going on: left aside", {
    ignored(&[
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":4711}}",
    ]);
});
attack!(same_id_twice, "two requests with one id: both may be answered, nothing breaks", {
    let mut server = Stdio::new();
    let line = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\"}";
    server.line(line);
    server.line(line);
    server.assert_alive();
});
attack!(call_before_hello, "a call before the greeting: refused, and the greeting still works", {
    let mut server = Stdio::uninitialized(Sandbox::new(), &[]);
    let answer = server.request("tools/call", &json!({ "name": "read", "arguments": { "target": "total" } }));
    assert!(answer["error"].is_object(), "{answer}");
    assert!(server.request("initialize", &initialize_params("2025-06-18"))["result"].is_object());
    server.assert_alive();
});
attack!(notification_before_hello, "notifications before the greeting: left aside", {
    let mut server = Stdio::uninitialized(Sandbox::new(), &[]);
    server.line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    server.line("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    assert!(server.request("initialize", &initialize_params("2025-06-18"))["result"].is_object());
    server.assert_alive();
});
attack!(hello_twice, "a second greeting: answered, the session goes on", {
    let mut server = Stdio::new();
    assert!(server.request("initialize", &initialize_params("2024-11-05")).is_object());
    server.assert_alive();
});
attack!(mixed_batch, "a batch of good and bad messages: each by itself", {
    let mut server = Stdio::new();
    server.line(
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},7,{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]",
    );
    let both = [server.message(), server.message()];
    assert!(
        both.iter().any(|one| one["id"] == 1) && both.iter().any(|one| one["error"]["code"] == INVALID),
        "{both:?}"
    );
    server.assert_alive();
});
attack!(call_without_a_name, "a call that names no tool: -32602", {
    let mut server = Stdio::new();
    assert_eq!(server.request("tools/call", &json!({ "arguments": {} }))["error"]["code"], PARAMS);
    server.assert_alive();
});
attack!(parameters_are_a_list, "a list for parameters: refused", {
    let mut server = Stdio::new();
    server.line("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":[1,2]}");
    assert!(server.message()["error"].is_object());
    server.assert_alive();
});
attack!(unknown_revision, "a revision that does not exist: answered with one that does", {
    let mut server = Stdio::uninitialized(Sandbox::new(), &[]);
    let version =
        server.request("initialize", &initialize_params("1999-01-01"))["result"]["protocolVersion"].clone();
    assert!(version.as_str().is_some_and(|version| version.starts_with("20")), "{version}");
    server.assert_alive();
});
