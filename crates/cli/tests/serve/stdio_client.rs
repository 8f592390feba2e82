//! A client of `orient mcp` that sends whatever it likes and reads what comes back.

use crate::sandbox::{SECRET, Tree};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{self, Child, ChildStdin, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The machine may be busy.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server, its tree and the two ends of the line.
pub(crate) struct Stdio {
    pub(crate) tree: Tree,
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    next: u64,
}

impl Stdio {
    /// A server that was greeted.
    pub(crate) fn new() -> Self {
        Self::with(Tree::new(), &[])
    }

    /// One over this tree with these arguments, greeted.
    pub(crate) fn with(tree: Tree, arguments: &[&str]) -> Self {
        Self::silent(tree, arguments).greeted()
    }

    pub(crate) fn greeted(mut self) -> Self {
        let hello = self.request("initialize", &hello("2025-06-18"));
        assert_eq!(hello["result"]["serverInfo"]["name"], "orient", "{hello}");
        self.line(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        self
    }

    /// One that was not greeted yet.
    pub(crate) fn silent(tree: Tree, arguments: &[&str]) -> Self {
        Self::started(Command::new(env!("CARGO_BIN_EXE_orient")), tree, arguments)
    }

    /// One for whom the modes of files count, whoever runs the tests; greeted.
    #[cfg(unix)]
    pub(crate) fn unprivileged(tree: Tree) -> Self {
        Self::started(orient_testkit::unprivileged(env!("CARGO_BIN_EXE_orient")), tree, &[]).greeted()
    }

    /// One that another command starts; not greeted yet.
    pub(crate) fn started(mut command: Command, tree: Tree, arguments: &[&str]) -> Self {
        let mut child = command
            .arg("mcp")
            .args(["--root".as_ref(), tree.root().as_os_str(), "--store".as_ref(), tree.store().as_os_str()])
            .args(arguments)
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

    /// The number of its process.
    pub(crate) fn pid(&self) -> u64 {
        u64::from(self.child.id())
    }

    /// Sends bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server listens");
    }

    /// Sends a line.
    pub(crate) fn line(&mut self, line: &str) {
        self.bytes(format!("{line}\n").as_bytes());
    }

    /// The next message, which must be JSON and must not hold the secret.
    pub(crate) fn message(&mut self) -> Value {
        let line = self.output.recv_timeout(PATIENCE).expect("an answer in time");
        assert!(!line.contains(SECRET), "the secret is out: {line}");
        serde_json::from_str(&line).expect("the output is the protocol's alone")
    }

    /// The answer to a request, other messages left aside.
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

    /// What a tool answers.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Said {
        let answer = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        Said::of(&answer)
    }

    /// The code of the error that answers a line.
    pub(crate) fn refused(&mut self, line: &[u8]) -> i64 {
        self.bytes(line);
        self.bytes(b"\n");
        let message = self.message();
        message["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {message}"))
    }

    /// Fails unless the server goes on as if nothing had happened.
    pub(crate) fn alive(&mut self) {
        let said = self.call("read", &json!({ "target": "total", "again": true }));
        assert!(!said.error && said.text.contains("def total"), "{}", said.text);
    }

    /// Closes the line and waits for the end; the code it ends with.
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

/// What a client says first.
pub(crate) fn hello(version: &str) -> Value {
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } })
}

/// What a tool said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) error: bool,
    pub(crate) structured: Value,
}

impl Said {
    pub(crate) fn of(answer: &Value) -> Self {
        let result = &answer["result"];
        assert!(result.is_object(), "no result: {answer}");
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"));
        Self {
            text: text.to_owned(),
            error: result["isError"] == true,
            structured: result["structuredContent"].clone(),
        }
    }

    /// A failure that says what to do next.
    pub(crate) fn helps(&self) -> &Self {
        assert!(self.error && self.text.contains("next: "), "{self:?}");
        self
    }
}
