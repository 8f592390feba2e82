//! Remote mode of commands: sends the words that were typed to the team server, and prints its answer below the local one.

use crate::config::{Config, OutputFormat};
use crate::render;
use orient_tools::{
    Operation, RemoteAnswer, RemoteQuestion, RemoteServer, RemoteWords, Session, write_json_line,
};
use serde_json::json;
use std::io::{self, Write};

/// Global flags without a value; they are not part of the question.
const FLAGS: &[&str] = &["--json", "--no-pager", "--quiet", "-q", "--verbose", "--no-refresh", "--force"];
/// Global flags with a value.
const FLAGS_WITH_VALUE: &[&str] = &["--root", "--at", "--store", "--set", "--color"];

/// A question that was sent, or the warning that it was not.
pub(crate) type SentQuestion = Option<Result<RemoteQuestion, String>>;

/// Sends a question to the server that the settings name; `None` if there is none.
pub(crate) fn ask(session: &Session<'_>, operation: &Operation, format: OutputFormat) -> SentQuestion {
    let server = operation.across.then(|| RemoteServer::of_session(session)).flatten()?;
    let typed: Vec<String> = std::env::args_os().filter_map(|word| word.into_string().ok()).collect();
    let words = question_words(&typed, operation.name);
    Some(server.ask(operation, RemoteWords::Typed(words, format == OutputFormat::Json)))
}

/// Prints the answer of the server below the local one, or the warning. The JSON form is a value of its own.
pub(crate) fn print(remote: SentQuestion, config: &Config) -> io::Result<()> {
    let Some(remote) = remote else { return Ok(()) };
    let answered = remote.and_then(RemoteQuestion::answer);
    if let Err(warning) = &answered {
        writeln!(io::stderr(), "warning: {warning}")?;
    }
    if config.format == OutputFormat::Json {
        let line = match answered {
            Ok(RemoteAnswer { address, response }) => {
                json!({ "remote": { "server": address, "response": response } })
            }
            Err(warning) => json!({ "remote": { "error": warning } }),
        };
        return render::raw(|out| write_json_line(&line, out));
    }
    let Ok(answer) = answered else { return Ok(()) };
    render::page(config.colour, |page| answer.write(page))?;
    if !config.quiet {
        answer.notes().try_for_each(|note| writeln!(io::stderr(), "note: server: {note}"))?;
    }
    Ok(())
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
