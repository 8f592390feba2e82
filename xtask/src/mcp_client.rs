//! A minimal client of `orient mcp` over stdio.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A session with an `orient mcp` process.
pub(crate) struct McpClient {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
    next: u64,
}

impl McpClient {
    /// Starts the server and initialises the session.
    pub(crate) fn start(orient: &Path, root: &Path, store: &Path) -> Result<Self> {
        Self::start_with(orient, root, store, &[])
    }

    /// The same with further arguments.
    pub(crate) fn start_with(orient: &Path, root: &Path, store: &Path, further: &[&str]) -> Result<Self> {
        let mut command = Command::new(orient);
        command.arg("mcp").arg("--root").arg(root).arg("--store").arg(store).args(further);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let output = BufReader::new(child.stdout.take().context("it is piped")?);
        let mut client = Self { child, output, next: 0 };
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "xtask", "version": "1" } });
        client.request("initialize", &hello)?;
        Ok(client)
    }

    /// The result of a request.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.next += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        let input = self.child.stdin.as_mut().context("it is piped")?;
        writeln!(input, "{message}")?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                bail!("the server ended");
            }
            let answer: Value = serde_json::from_str(&line)?;
            if answer["id"] == self.next {
                return Ok(answer["result"].clone());
            }
        }
    }
}

impl McpClient {
    /// The process id.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
