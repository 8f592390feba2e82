//! Transcripts in Markdown: re-runs the commands of `console` blocks and the tool calls of `mcp` blocks, and replaces
//! the output below them.
//!
//! ````text
//! ```console                         ```mcp
//! $ orient callers quote             graph {"relation": "callers", "symbol": "quote"}
//! …output, replaced                  …answer, replaced
//! ```                                ```
//! ````

use super::fixture::Fixture;
use anyhow::{Context, Result, bail};

/// What runs the commands: the fixture, or a substitute in tests.
pub(super) trait Runner {
    /// The output of a command line.
    fn command(&mut self, line: &str) -> Result<String>;
    /// The answer to a call, written as the tool's name and its arguments in JSON.
    fn call(&mut self, line: &str) -> Result<String>;
}

impl Runner for Fixture {
    fn command(&mut self, line: &str) -> Result<String> {
        self.run(line)
    }

    fn call(&mut self, line: &str) -> Result<String> {
        let (tool, arguments) = line.split_once(' ').context("write a tool's name and its arguments")?;
        Fixture::call(self, tool, arguments)
    }
}

/// A page with the output of its transcripts replaced.
pub(super) fn refresh(page: &str, runner: &mut impl Runner) -> Result<String> {
    let mut result = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        result.push(line.to_owned());
        let fence = &line[..line.len() - line.trim_start_matches('`').len()];
        if fence.len() < 3 {
            continue;
        }
        let kind = &line[fence.len()..];
        let mut block = Vec::new();
        loop {
            match lines.next() {
                Some(line) if line == fence => break,
                Some(line) => block.push(line),
                None => bail!("a `{line}` block is not closed"),
            }
        }
        let block = match kind {
            "console" => commands(&block, runner)?,
            "mcp" => tool_call(&block, runner)?,
            _ => block.into_iter().map(str::to_owned).collect(),
        };
        if block.iter().any(|line| line.starts_with(fence)) {
            bail!("the output in a `{kind}` block has a fence; open the block with a longer one");
        }
        result.extend(block);
        result.push(fence.to_owned());
    }
    result.push(String::new());
    Ok(result.join("\n"))
}

/// Each command of a `console` block with its output.
fn commands(block: &[&str], runner: &mut impl Runner) -> Result<Vec<String>> {
    let mut result = Vec::new();
    for line in block {
        if let Some(command) = line.strip_prefix("$ ") {
            result.push((*line).to_owned());
            result.extend(output_lines(&runner.command(command)?));
        }
    }
    if result.is_empty() {
        bail!("a `console` block without a command: begin a line with `$ `");
    }
    Ok(result)
}

/// The call on the first line of an `mcp` block with its answer.
fn tool_call(block: &[&str], runner: &mut impl Runner) -> Result<Vec<String>> {
    let call = block.first().context("an `mcp` block begins with a tool call")?;
    let mut result = vec![(*call).to_owned(), String::new()];
    result.extend(output_lines(&runner.call(call)?));
    Ok(result)
}

fn output_lines(output: &str) -> impl Iterator<Item = String> {
    output.trim_end().lines().map(|line| line.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Echo;

    impl Runner for Echo {
        fn command(&mut self, line: &str) -> Result<String> {
            Ok(format!("ran {line}\n"))
        }

        fn call(&mut self, line: &str) -> Result<String> {
            Ok(format!("called {line}\n```\nfenced\n```\n"))
        }
    }

    #[test]
    fn output_is_replaced_and_prose_is_kept() {
        let page = "Prose.\n\n```console\n$ orient a\nold\n$ orient b\n```\n\n```sh\norient c\n```\n";
        let fresh = refresh(page, &mut Echo).expect("a sound page");
        let expected = "Prose.\n\n```console\n$ orient a\nran orient a\n$ orient b\nran orient b\n```\n\n```sh\norient c\n```\n";
        assert_eq!(fresh, expected);
        assert_eq!(refresh(&fresh, &mut Echo).expect("a sound page"), expected);
    }

    #[test]
    fn an_answer_with_fences_needs_a_longer_fence() {
        assert!(refresh("```mcp\ngrep {}\n```\n", &mut Echo).is_err());
        let page = refresh("````mcp\ngrep {}\n````\n", &mut Echo).expect("a longer fence");
        assert_eq!(page, "````mcp\ngrep {}\n\ncalled grep {}\n```\nfenced\n```\n````\n");
    }

    #[test]
    fn an_unclosed_block_is_an_error() {
        assert!(refresh("```console\n$ orient a\n", &mut Echo).is_err());
    }
}
