//! An `orient serve` process, and a client that sends raw bytes to it.

use crate::sandbox::{SECRET, Sandbox};
use crate::stdio_client::initialize_params;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Generous timeout for a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running server and its address.
pub(crate) struct HttpServer {
    child: Child,
    pub(crate) address: String,
    pub(crate) tree: Sandbox,
}

/// A response.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl HttpServer {
    pub(crate) fn new() -> Self {
        Self::with(&[], None)
    }

    /// Starts a server with additional arguments and a token.
    pub(crate) fn with(arguments: &[&str], token: Option<&str>) -> Self {
        let tree = Sandbox::new();
        let mut command = command(&tree, arguments);
        if let Some(token) = token {
            command.env("ORIENT_TOKEN", token);
        }
        let (child, address) = orient_testkit::start_server(&mut command);
        Self { child, address, tree }
    }

    /// Sends bytes, and reads until the connection closes or no more data arrives.
    pub(crate) fn raw(&self, bytes: &[u8]) -> HttpResponse {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        // The server may reject the request before it has read everything.
        let _ = stream.write_all(bytes);
        let mut all = Vec::new();
        let mut part = [0; 4096];
        while let Ok(read) = stream.read(&mut part) {
            all.extend_from_slice(&part[..read]);
            if read == 0 || finished(&all) {
                break;
            }
        }
        let text = String::from_utf8_lossy(&all).into_owned();
        assert!(!text.contains(SECRET), "the secret is out: {text}");
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        HttpResponse { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    /// Sends a request with additional headers.
    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> HttpResponse {
        let mut head = format!("{method} {path} HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
        let usual = [
            ("Host", self.address.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        let given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        for (name, value) in usual.iter().filter(|(name, _)| !given(name)).chain(headers) {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        self.raw(format!("{head}Connection: close\r\n\r\n{body}").as_bytes())
    }

    /// Sends an `initialize` request with additional headers.
    pub(crate) fn initialize(&self, headers: &[(&str, &str)]) -> HttpResponse {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize_params("2025-06-18") });
        self.request("POST", "/mcp", headers, &body.to_string())
    }

    /// Checks that the server still answers.
    pub(crate) fn assert_alive(&self) {
        assert_eq!(self.request("GET", "/healthz", &[], "").status, 200);
    }

    /// Begins a session; returns the value of its header.
    pub(crate) fn session(&self) -> String {
        let reply = self.initialize(&[]);
        let line =
            reply.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ").map(str::to_owned));
        line.unwrap_or_else(|| panic!("no session: {reply:?}"))
    }

    /// Sends a request in a session; returns the response.
    pub(crate) fn ask(&self, session: &str, method: &str, params: &Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 5, "method": method, "params": params }).to_string();
        let reply = self.request("POST", "/mcp", &[("Mcp-Session-Id", session)], &body);
        reply.message()
    }
}

impl HttpResponse {
    /// The last message in the body: plain JSON or a server-sent event.
    pub(crate) fn message(&self) -> Value {
        let data = self.body.lines().map(|line| line.trim_start_matches("data:").trim());
        data.filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .rfind(Value::is_object)
            .unwrap_or_else(|| panic!("no message: {self:?}"))
    }
}

/// Whether a response event has arrived; its stream may stay open.
fn finished(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    text.contains("\"result\"") && text.ends_with("\n\n")
}

/// The command that starts a server.
pub(crate) fn command(tree: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orient"));
    command
        .arg("serve")
        .args(["--root".as_ref(), tree.root().as_os_str(), "--store".as_ref(), tree.store().as_os_str()])
        .args(arguments)
        .env_remove("ORIENT_TOKEN")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    if !arguments.contains(&"--listen") {
        command.args(["--listen", "127.0.0.1:0"]);
    }
    command
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
