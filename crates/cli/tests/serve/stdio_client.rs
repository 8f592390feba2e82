//! An `orient mcp` process, and a client that sends raw lines to it.

use crate::sandbox::{SECRET, Sandbox};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{self, Child, ChildStdin, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Generous timeout for a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running server, its tree and its pipes.
pub(crate) struct Stdio {
    pub(crate) tree: Sandbox,
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    next: u64,
}

impl Stdio {
    /// Starts a server and initialises a session.
    pub(crate) fn new() -> Self {
        Self::with(Sandbox::new(), &[])
    }

    /// The same for a tree with additional arguments.
    pub(crate) fn with(tree: Sandbox, arguments: &[&str]) -> Self {
        Self::uninitialized(tree, arguments).initialized()
    }

    pub(crate) fn initialized(mut self) -> Self {
        let hello = self.request("initialize", &initialize_params("2025-06-18"));
        assert_eq!(hello["result"]["serverInfo"]["name"], "orient", "{hello}");
        self.line(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        self
    }

    /// Starts a server without initialising a session.
    pub(crate) fn uninitialized(tree: Sandbox, arguments: &[&str]) -> Self {
        Self::started(Command::new(env!("CARGO_BIN_EXE_orient")), tree, arguments)
    }

    /// Starts a server without root privileges, so that file permissions apply.
    #[cfg(unix)]
    pub(crate) fn unprivileged(tree: Sandbox) -> Self {
        Self::started(orient_testkit::unprivileged(env!("CARGO_BIN_EXE_orient")), tree, &[]).initialized()
    }

    /// Starts a server with another command, without initialising a session.
    pub(crate) fn started(mut command: Command, tree: Sandbox, arguments: &[&str]) -> Self {
        command.arg("mcp").args(["--root".as_ref(), tree.root().as_os_str()]).args(arguments);
        Self::spawned(command, tree)
    }

    /// Starts a server for a client that names these directories as its roots.
    pub(crate) fn with_client_roots(tree: Sandbox, roots: &[&Path]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_orient"));
        command.arg("mcp").current_dir(tree.root());
        let mut server = Self::spawned(command, tree);
        let mut params = initialize_params("2025-06-18");
        params["capabilities"]["roots"] = json!({});
        server.request("initialize", &params);
        server.line(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        let asked = server.message();
        assert_eq!(asked["method"], "roots/list", "{asked}");
        let roots: Vec<Value> =
            roots.iter().map(|root| json!({ "uri": format!("file://{}", root.display()) })).collect();
        let reply = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "roots": roots } });
        server.line(&reply.to_string());
        server
    }

    fn spawned(mut command: Command, tree: Sandbox) -> Self {
        let mut child = command
            .args(["--store".as_ref(), tree.store().as_os_str()])
            .stdin(process::Stdio::piped())
            .stdout(process::Stdio::piped())
            .stderr(process::Stdio::null())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, output) = channel();
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { tree, child, input, output, next: 100 }
    }

    /// Its process ID.
    pub(crate) fn pid(&self) -> u64 {
        u64::from(self.child.id())
    }

    /// Sends raw bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server listens");
    }

    /// Sends a line.
    pub(crate) fn line(&mut self, line: &str) {
        self.bytes(format!("{line}\n").as_bytes());
    }

    /// The next message, which must be JSON without the secret.
    pub(crate) fn message(&mut self) -> Value {
        let line = self.output.recv_timeout(PATIENCE).expect("an answer in time");
        assert!(!line.contains(SECRET), "the secret is out: {line}");
        serde_json::from_str(&line).expect("the output is the protocol's alone")
    }

    /// Sends a request; returns its response and ignores other messages.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.line(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        loop {
            let message = self.message();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> ToolResult {
        let answer = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        ToolResult::of(&answer)
    }

    /// Sends an invalid line; returns the error code of the response.
    pub(crate) fn error_code(&mut self, line: &[u8]) -> i64 {
        self.bytes(line);
        self.bytes(b"\n");
        let message = self.message();
        assert!(message.get("id").is_some(), "an error has an id, which may be null: {message}");
        message["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {message}"))
    }

    /// Checks that the server still answers.
    pub(crate) fn assert_alive(&mut self) {
        let said = self.call("read", &json!({ "target": "total", "again": true }));
        assert!(!said.error && said.text.contains("def total"), "{}", said.text);
    }

    /// Closes the input and waits; returns the exit code.
    pub(crate) fn end(mut self) -> Option<i32> {
        self.input = None;
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The parameters of an `initialize` request.
pub(crate) fn initialize_params(version: &str) -> Value {
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } })
}

/// The result of a tool call.
#[derive(Debug)]
pub(crate) struct ToolResult {
    pub(crate) text: String,
    pub(crate) error: bool,
    /// The structured content, or what the notes and the status line of the text say.
    pub(crate) structured: Value,
}

/// The metadata of an answer that is text: what its notes and its status line say, and the text before them.
pub(crate) fn metadata(text: &str) -> Value {
    let lines: Vec<&str> = text.lines().collect();
    let Some((status, before)) = lines.split_last() else { return json!({}) };
    let Some(status) = status.strip_prefix('[').and_then(|status| status.strip_suffix(']')) else {
        return json!({ "text": text, "complete": false });
    };
    let is_note = |line: &&str| line.starts_with("note: ");
    let body_end = before.len() - before.iter().rev().take_while(|line| is_note(line)).count();
    let mut fields =
        json!({ "text": before[..body_end].join("\n"), "complete": status.starts_with("complete") });
    let number = |text: &str| json!(text.replace(',', "").parse::<u64>().ok());
    for part in status.split("; ") {
        if let Some(reasons) = part.strip_prefix("partial: ") {
            fields["reasons"] = json!([reasons]);
        } else if let Some(total) = part.strip_prefix("total ") {
            fields["total"] = number(total);
        } else if let Some(generation) = part.strip_prefix("generation ") {
            fields["generation"] = number(generation);
        } else if let Some(cursor) = part.strip_prefix("next cursor ") {
            fields["next"] = json!(cursor.trim_matches('"'));
        } else if part.contains(" files pending") {
            fields["pending"] = json!(part);
        }
    }
    let notes: Vec<&str> = before[body_end..].iter().filter_map(|line| line.strip_prefix("note: ")).collect();
    if !notes.is_empty() {
        fields["notes"] = json!(notes);
    }
    fields
}

impl ToolResult {
    pub(crate) fn of(answer: &Value) -> Self {
        let result = &answer["result"];
        assert!(result.is_object(), "no result: {answer}");
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"));
        Self {
            text: text.to_owned(),
            error: result["isError"] == true,
            structured: match &result["structuredContent"] {
                Value::Null => metadata(text),
                structured => structured.clone(),
            },
        }
    }

    /// Checks that it is an error that says what to do next.
    pub(crate) fn assert_helpful_error(&self) -> &Self {
        assert!(self.error && self.text.contains("next: "), "{self:?}");
        self
    }
}
