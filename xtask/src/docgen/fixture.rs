//! The repository of the documentation: what `orient demo` writes, with its own store; commands and tool calls on it.
//!
//! The environment is empty apart from directories in the copy, so that output depends on the application and the program
//! alone.

use crate::mcp_client::McpClient;
use crate::workspace;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// An indexed copy of the fixture repository.
pub(super) struct Fixture {
    scratch: PathBuf,
    orient: PathBuf,
    /// Started by the first tool call.
    server: Option<McpClient>,
}

impl Fixture {
    /// Builds the product, writes the application and indexes it.
    pub(super) fn start() -> Result<Self> {
        let orient = workspace::product()?;
        let scratch = std::env::temp_dir().join(format!("orient-docgen-{}", std::process::id()));
        let fixture = Self { scratch, orient, server: None };
        write_demo(&fixture.orient, &fixture.root())?;
        fixture.run("orient index --history")?;
        Ok(fixture)
    }

    fn root(&self) -> PathBuf {
        self.scratch.join("parcel")
    }

    fn store(&self) -> PathBuf {
        self.scratch.join("store")
    }

    /// What a command prints when its output is piped: standard output, then standard error.
    pub(super) fn run(&self, command: &str) -> Result<String> {
        self.output(command, "never")
    }

    /// What a command prints on a terminal, with its escape sequences.
    pub(super) fn run_coloured(&self, command: &str) -> Result<String> {
        self.output(command, "always")
    }

    fn output(&self, command: &str, colour: &str) -> Result<String> {
        let words = split_words(command).with_context(|| format!("`{command}`: a quote is not closed"))?;
        let [program, arguments @ ..] = words.as_slice() else { bail!("an empty command") };
        if program != "orient" {
            bail!("`{command}`: only `orient` can be run in a `console` block");
        }
        let output = Command::new(&self.orient)
            .args(arguments)
            .arg("--color")
            .arg(colour)
            .current_dir(self.root())
            .env_clear()
            .env("HOME", &self.scratch)
            .env("ORIENT_STORE_DIR", self.store())
            .output()
            .with_context(|| format!("starting {}", self.orient.display()))?;
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        self.without_machine_paths(command, text)
    }

    /// The text that a tool returns to an agent.
    pub(super) fn call(&mut self, tool: &str, arguments: &str) -> Result<String> {
        let arguments: Value =
            serde_json::from_str(arguments).with_context(|| format!("the arguments of {tool}"))?;
        if self.server.is_none() {
            self.server = Some(McpClient::start(&self.orient, &self.root(), &self.store())?);
        }
        let server = self.server.as_mut().context("the server was just started")?;
        let answer = server.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        let text = answer["content"][0]["text"].as_str().context("the answer has a text")?.to_owned();
        self.without_machine_paths(tool, text)
    }

    /// Refuses output that names a path of this machine.
    fn without_machine_paths(&self, command: &str, text: String) -> Result<String> {
        if text.contains(&*self.scratch.to_string_lossy()) {
            bail!("`{command}` prints a path of this machine:\n{text}");
        }
        Ok(text)
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.server = None;
        let _ = std::fs::remove_dir_all(Path::new(&self.scratch));
    }
}

/// Writes the sample application.
fn write_demo(orient: &Path, directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory)?;
    let output = Command::new(orient).arg("demo").arg(directory).output();
    let output = output.with_context(|| format!("starting {}", orient.display()))?;
    if !output.status.success() {
        bail!("orient demo: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// The words of a command line; single and double quotes group, and nothing is escaped.
fn split_words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in command.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter == ' ' => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_group_words() {
        let words = split_words("orient search \"where are scans retried\" --path 'a b'").expect("closed");
        assert_eq!(words, ["orient", "search", "where are scans retried", "--path", "a b"]);
        assert_eq!(split_words("orient 'x"), None);
    }
}
