//! An `orient serve` process, and a minimal client over HTTP.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Timeout: the machine may be busy, and a first index takes a while.
const PATIENCE: Duration = Duration::from_mins(2);

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
    stream: BufReader<TcpStream>,
    host: String,
    path: String,
    session: Option<String>,
    next: u64,
}

/// The response to a request.
struct Reply {
    status: u16,
    session: Option<String>,
    body: Vec<u8>,
}

impl HttpSession {
    fn open(url: &str) -> Result<Self> {
        let rest = url.strip_prefix("http://").context("the address is one of HTTP")?;
        let (host, path) = rest.split_once('/').context("the address has a path")?;
        let stream = TcpStream::connect(host).with_context(|| format!("connecting to {host}"))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let (host, path) = (host.to_owned(), format!("/{path}"));
        let mut web = Self { stream: BufReader::new(stream), host, path, session: None, next: 0 };
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "xtask", "version": "1" } });
        let message = web.message("initialize", &hello);
        let reply = web.post(&message)?;
        web.session = reply.session;
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
        let session =
            self.session.as_ref().map_or_else(String::new, |id| format!("Mcp-Session-Id: {id}\r\n"));
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n\
             {session}Content-Length: {}\r\n\r\n",
            self.path,
            self.host,
            message.len()
        );
        self.stream.get_mut().write_all(format!("{head}{message}").as_bytes())?;
        self.reply()
    }

    fn reply(&mut self) -> Result<Reply> {
        let status = self.line()?;
        let status = status.split(' ').nth(1).and_then(|status| status.parse().ok());
        let mut reply = Reply { status: status.context("no status")?, session: None, body: Vec::new() };
        let (mut length, mut chunked) = (0, false);
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            match (name.to_ascii_lowercase().as_str(), value.trim()) {
                ("content-length", value) => length = value.parse().context("the length is a number")?,
                ("transfer-encoding", value) => chunked = value.eq_ignore_ascii_case("chunked"),
                ("mcp-session-id", value) => reply.session = Some(value.to_owned()),
                _ => {}
            }
        }
        if !chunked {
            self.read(length, &mut reply.body)?;
            return Ok(reply);
        }
        loop {
            let size = usize::from_str_radix(&self.line()?, 16).context("a chunk has a size")?;
            self.read(size, &mut reply.body)?;
            self.line()?;
            if size == 0 {
                return Ok(reply);
            }
        }
    }

    fn read(&mut self, length: usize, body: &mut Vec<u8>) -> Result<()> {
        let from = body.len();
        body.resize(from + length, 0);
        Ok(self.stream.read_exact(&mut body[from..])?)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            bail!("the connection was closed");
        }
        Ok(line.trim_end().to_owned())
    }
}
