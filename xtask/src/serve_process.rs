//! An `orient serve` process, and a minimal MCP client over HTTP.

use crate::http_connection::{HttpConnection, Reply};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running `orient serve` and its address.
pub(crate) struct ServeProcess {
    child: Child,
    pub(crate) url: String,
}

impl ServeProcess {
    /// Starts a server for a tree, with additional arguments.
    pub(crate) fn start(orient: &Path, tree: &Path, store: &Path, more: &[&str]) -> Result<Self> {
        let mut command = Command::new(orient);
        command.arg("serve").arg("--root").arg(tree).arg("--store").arg(store);
        command.args(["--listen", "127.0.0.1:0"]).args(more);
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(child.stderr.take().context("it is piped")?);
        let mut line = String::new();
        lines.read_line(&mut line)?;
        // Reading the rest of its output keeps the pipe from filling up.
        std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        let url = line.trim().strip_prefix("serving on ").context("the server says where it is")?.to_owned();
        Ok(Self { child, url })
    }

    /// The process id.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Opens a new session over a new connection.
    pub(crate) fn session(&self) -> Result<HttpSession> {
        HttpSession::open(&self.url)
    }
}

impl Drop for ServeProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A session over one persistent connection.
pub(crate) struct HttpSession {
    connection: HttpConnection,
    path: String,
    session: Option<String>,
    next: u64,
}

impl HttpSession {
    fn open(url: &str) -> Result<Self> {
        let (connection, path) = HttpConnection::open(url)?;
        let mut web = Self { connection, path, session: None, next: 0 };
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "xtask", "version": "1" } });
        let message = web.message("initialize", &hello);
        let reply = web.post(&message)?;
        web.session = reply.header("mcp-session-id").map(str::to_owned);
        let greeted = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        web.post(&greeted.to_string())?;
        Ok(web)
    }

    /// The result of a request. Protocol errors are errors.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        let message = self.message(method, params);
        let reply = self.post(&message)?;
        let text = String::from_utf8_lossy(&reply.body);
        if reply.status != 200 {
            bail!("status {}: {text}", reply.status);
        }
        // Plain JSON, or the last of several events.
        let lines = text.lines().map(|line| line.strip_prefix("data:").unwrap_or(line));
        let mut answers = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let answer = answers.rfind(|answer| answer["id"] == self.next);
        let mut answer = answer.with_context(|| format!("no answer: {text}"))?;
        match answer.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => bail!("refused: {answer}"),
        }
    }

    fn message(&mut self, method: &str, params: &Value) -> String {
        self.next += 1;
        json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }).to_string()
    }

    fn post(&mut self, message: &str) -> Result<Reply> {
        let session = self.session.as_deref().map(|id| ("Mcp-Session-Id", id));
        let headers = [("MCP-Protocol-Version", "2025-11-25")].into_iter().chain(session);
        self.connection.post(&self.path, headers, message)
    }
}
