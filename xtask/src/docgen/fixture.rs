//! The fixture repository of the documentation, `xtask/fixtures/parcel`: a copy with a git history and its own store, commands
//! and tool calls on it.
//!
//! `xtask/fixtures/parcel-history` has the commits after the first one as patches. The first commit is what is left when they
//! are reverted, so the last one is the fixture itself. Dates and authors are fixed: ids are the same everywhere.
//!
//! The environment is empty apart from directories in the copy, so that output depends on the fixture and the program
//! alone.

use crate::mcp_client::McpClient;
use crate::workspace;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the fixture is.
const SOURCE: &str = "xtask/fixtures/parcel";
/// Where the patches of its history are, in the order of their names.
const HISTORY: &str = "xtask/fixtures/parcel-history";
/// Message and date of the first commit.
const FIRST_COMMIT: (&str, &str) = ("Book, price, route and track parcels", "2025-03-04T09:12:00+0100");

/// An indexed copy of the fixture repository.
pub(super) struct Fixture {
    scratch: PathBuf,
    orient: PathBuf,
    /// Started by the first tool call.
    server: Option<McpClient>,
}

impl Fixture {
    /// Builds the product, copies the fixture and indexes it.
    pub(super) fn start() -> Result<Self> {
        let orient = workspace::product()?;
        let scratch = std::env::temp_dir().join(format!("orient-docgen-{}", std::process::id()));
        let fixture = Self { scratch, orient, server: None };
        for file in workspace::files()? {
            let Ok(relative) = file.strip_prefix(SOURCE) else { continue };
            let copy = fixture.root().join(relative);
            std::fs::create_dir_all(copy.parent().context("a file is in a directory")?)?;
            std::fs::copy(workspace::root().join(&file), copy)?;
        }
        fixture.commit_history()?;
        fixture.run("orient index --history")?;
        Ok(fixture)
    }

    /// Makes the copy a git repository.
    fn commit_history(&self) -> Result<()> {
        let mut patches: Vec<PathBuf> =
            workspace::files()?.into_iter().filter(|file| file.starts_with(HISTORY)).collect();
        patches.sort();
        let patches: Vec<String> =
            patches.iter().map(|patch| workspace::root().join(patch).display().to_string()).collect();
        self.git(&["init", "--quiet", "--initial-branch", "main"])?;
        for patch in patches.iter().rev() {
            self.git(&["apply", "--reverse", patch])?;
        }
        self.git(&["add", "--all"])?;
        self.git(&["commit", "--quiet", "--message", FIRST_COMMIT.0])?;
        let mut apply = vec!["am", "--quiet", "--committer-date-is-author-date"];
        apply.extend(patches.iter().map(String::as_str));
        self.git(&apply)
    }

    fn git(&self, arguments: &[&str]) -> Result<()> {
        let (name, email) = ("Ada Brandt", "ada@example.org");
        let output = Command::new("git")
            .args(arguments)
            .current_dir(self.root())
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
            .envs([
                ("GIT_AUTHOR_NAME", name),
                ("GIT_AUTHOR_EMAIL", email),
                ("GIT_AUTHOR_DATE", FIRST_COMMIT.1),
            ])
            .envs([("GIT_COMMITTER_NAME", name), ("GIT_COMMITTER_EMAIL", email)])
            .env("GIT_COMMITTER_DATE", FIRST_COMMIT.1)
            .output()
            .context("starting git")?;
        if !output.status.success() {
            bail!("git {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(())
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
