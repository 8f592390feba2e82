//! Remote mode: asks a team server about all other repositories, while the answer for this one is computed here.
//!
//! Only the question is sent, as it was typed. If the server does not answer in time, the local answer stands, with a warning.

use crate::config::{Config, OutputFormat};
use crate::render;
use orient_providers::TeamServer;
use orient_settings::Settings;
use orient_tools::{Operation, Style, write_json_line};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long the server may take, counted from the question.
const DEADLINE: Duration = Duration::from_secs(2);

/// Global flags without a value; they are not part of the question.
const FLAGS: &[&str] = &["--json", "--no-pager", "--quiet", "-q", "--verbose", "--no-refresh", "--force"];
/// Global flags with a value.
const FLAGS_WITH_VALUE: &[&str] = &["--root", "--at", "--store", "--set", "--color"];

/// A question that was sent.
pub(crate) struct RemoteQuestion {
    address: String,
    asked: Instant,
    answer: Receiver<Result<Vec<u8>, String>>,
}

/// What the server says.
struct RemoteAnswer {
    address: String,
    /// The text, or the JSON form, as it was asked for; and what else there is to say about the answer.
    body: Value,
}

/// Sends a question to the server that the settings name; `None` if there is none. The error is a warning.
pub(crate) fn ask(
    settings: &Settings,
    operation: &Operation,
    format: OutputFormat,
) -> Option<Result<RemoteQuestion, String>> {
    let address = settings.remote.url.as_deref().filter(|_| operation.across)?;
    let file = settings.remote.token_file.as_deref().and_then(|file| std::fs::read_to_string(file).ok());
    let server = match TeamServer::new(address, file.as_deref(), &|name| std::env::var(name).ok()) {
        Ok(server) => server,
        Err(reason) => return Some(Err(warning(address, &reason))),
    };
    let typed: Vec<String> = std::env::args_os().filter_map(|word| word.into_string().ok()).collect();
    let words = question_words(&typed, operation.name);
    let mut question = json!({ "operation": operation.name, "words": words });
    if format == OutputFormat::Json {
        question["structured"] = Value::Bool(true);
    }
    let question = question.to_string();
    let (sender, answer) = channel();
    let asked = Instant::now();
    // The thread ends with the process if nobody waits for it.
    let spawned = std::thread::Builder::new().name("remote".to_owned()).spawn(move || {
        let _ = sender.send(server.ask(question.as_bytes(), DEADLINE));
    });
    Some(match spawned {
        Ok(_) => Ok(RemoteQuestion { address: address.to_owned(), asked, answer }),
        Err(error) => Err(warning(address, &error.to_string())),
    })
}

/// Prints the answer of the server below the local one, or the warning. The JSON form is a value of its own.
pub(crate) fn print(remote: Option<Result<RemoteQuestion, String>>, config: &Config) -> io::Result<()> {
    let Some(remote) = remote else { return Ok(()) };
    let answered = remote.and_then(RemoteQuestion::answer);
    if let Err(warning) = &answered {
        writeln!(io::stderr(), "{warning}")?;
    }
    if config.format == OutputFormat::Json {
        let line = match answered {
            Ok(RemoteAnswer { address, body }) => {
                json!({ "remote": { "server": address, "response": body } })
            }
            Err(warning) => json!({ "remote": { "error": warning } }),
        };
        return render::raw(|out| write_json_line(&line, out));
    }
    let Ok(RemoteAnswer { address, body }) = answered else { return Ok(()) };
    let text = body["text"].as_str().unwrap_or_default().trim_end();
    render::page(config.colour, |page| {
        page.line(Style::Head, &format!("other repositories, on {address}:"))?;
        let text = if text.is_empty() { "nothing was found" } else { text };
        text.lines().try_for_each(|line| page.line(Style::Plain, line))
    })?;
    if !config.quiet {
        let notes = body["notes"].as_array().into_iter().flatten().filter_map(Value::as_str);
        notes.into_iter().try_for_each(|note| writeln!(io::stderr(), "note: server: {note}"))?;
    }
    Ok(())
}

impl RemoteQuestion {
    /// Waits for the answer until the deadline; the error is a warning.
    fn answer(self) -> Result<RemoteAnswer, String> {
        let left = DEADLINE.saturating_sub(self.asked.elapsed()) + Duration::from_millis(50);
        let body = match self.answer.recv_timeout(left) {
            Ok(Ok(body)) => body,
            Ok(Err(reason)) => return Err(warning(&self.address, &reason)),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                return Err(warning(&self.address, "it does not answer in time"));
            }
        };
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        if !body["text"].is_string() && body["answer"].is_null() {
            return Err(warning(&self.address, "its answer cannot be read"));
        }
        Ok(RemoteAnswer { address: self.address, body })
    }
}

fn warning(address: &str, reason: &str) -> String {
    format!(
        "warning: the team server at {address} is not reachable ({reason}); this answer is for this machine only"
    )
}

/// The words of a command line after the name of the operation, without global flags.
fn question_words(typed: &[String], operation: &str) -> Vec<String> {
    let mut words = typed.iter().skip(1).skip_while(|word| *word != operation).skip(1);
    let mut question = Vec::new();
    while let Some(word) = words.next() {
        if word == "--" {
            question.push(word.clone());
            question.extend(words.cloned());
            break;
        }
        if FLAGS_WITH_VALUE.contains(&word.as_str()) {
            words.next();
        } else if !FLAGS.contains(&word.as_str())
            && !FLAGS_WITH_VALUE
                .iter()
                .any(|flag| word.strip_prefix(flag).is_some_and(|rest| rest.starts_with('=')))
        {
            question.push(word.clone());
        }
    }
    question
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_is_what_was_typed_without_global_flags() {
        let words = |line: &str, operation: &str| {
            let typed: Vec<String> = line.split(' ').map(str::to_owned).collect();
            question_words(&typed, operation).join(" ")
        };
        assert_eq!(words("orient --root x ask Server --kind class", "ask"), "Server --kind class");
        assert_eq!(
            words("orient ask -q -n retry --color=never --root /secret src --json", "ask"),
            "-n retry src"
        );
        assert_eq!(words("orient ask -- --json", "ask"), "-- --json");
    }
}
