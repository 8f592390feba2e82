//! The reference page of the commands, generated from the table of operations.

use crate::error::{Code, Exit};
use crate::operation::Operation;
use crate::operations::OPERATIONS;
use clap::{Arg, Command};
use std::fmt::Write;

const OPENING: &str = "\
# Commands

Every command accepts `--json`: the answer is then an object with `data`, `complete` (and `reasons` if it is partial),
`total` and `next` for lists, and `freshness` with the generation of the index and the files that are not in it yet.
`orient COMMAND --help` has the same content as this page.
";

const LOG: &str = "
## Log

Servers (`orient mcp`, `orient serve`) and watchers append JSON lines to `log/orient.log` in the store: at most three files of
4 MiB, readable only by you. Commands do not log, unless `--verbose` prints each step and its duration to the standard
error. `ORIENT_LOG` sets the log filter: a level (`off`, `error`, `warn`, `info`, `debug`), or levels by target, for example
`warn,engine=debug`. By default, servers and watchers log at `info`, and `--verbose` at `debug`. `orient doctor --log` shows the
location of the log, and its last warnings and errors.

A line contains no source text, no query and no secret. File names appear only at the level `debug`.

| field | meaning |
|---|---|
| `ts` | time, in UTC |
| `level` | `error`, `warn`, `info` or `debug` |
| `target` | the log target: `cli`, `engine`, `live`, `serve`, `store`, `tools` |
| `pid` | process id |
| `span` | the log span that ended, or in which the event happened: `tool_call`, `query`, `refresh` and its phases `walk`, `parse`, `resolve`, `write` |
| `duration_ms` | duration of the span |
| `message` | message of an event |
| `tool` | the called tool |
| `outcome`, `reason` | `ok`, `missed` or an error code; the outcome of a refresh, and why it ran |
| `tokens` | size of the answer |
| `generation` | generation of the index |
| others | counts: `files`, `added`, `changed`, `removed`, `parsed`, `from_cache`, `resolved`, `owed`, `bytes` |
";

/// The page, as Markdown.
pub fn reference() -> String {
    let mut page = OPENING.to_owned();
    for tool in OPERATIONS {
        write_tool(&mut page, tool);
    }
    page.push_str(LOG);
    page.push_str("\n## Exit codes\n\n| code | meaning |\n|---|---|\n");
    for exit in Exit::ALL {
        let _ = writeln!(page, "| {} | {} |", *exit as u8, exit.meaning());
    }
    page.push_str(
        "\n## Errors\n\nWith `--json`, an error is an object on the standard error with `code`, `class`, \
                   `message` and `hint`.\n\n| code | meaning | exit code |\n|---|---|---|\n",
    );
    for code in Code::ALL {
        let _ = writeln!(page, "| `{}` | {} | {} |", code.word(), code.meaning(), code.exit() as u8);
    }
    page
}

fn write_tool(page: &mut String, tool: &Operation) {
    let command = tool.command();
    let _ = write!(page, "\n## `orient {}`\n\n{}.\n", usage(&command), tool.about);
    if !tool.details.is_empty() {
        let _ = write!(page, "\n{}\n", tool.details);
    }
    let arguments: Vec<&Arg> = command.get_arguments().filter(|arg| !arg.is_hide_set()).collect();
    if !arguments.is_empty() {
        page.push_str("\n| argument | meaning |\n|---|---|\n");
        for argument in arguments {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(page, "| `{}` | {} |", written(argument), help.replace('|', "\\|"));
        }
    }
    page.push_str("\n```sh\n");
    let width = tool.examples.iter().map(|example| example.command.len()).max().unwrap_or(0);
    for example in tool.examples {
        let _ = writeln!(page, "orient {:width$}  # {}", example.command, example.about);
    }
    page.push_str("```\n");
}

/// The usage line: the name and the positional arguments, `symbols [NAME]`.
fn usage(command: &Command) -> String {
    let mut line = command.get_name().to_owned();
    for argument in command.get_positionals() {
        let name = value(argument);
        let _ = if argument.is_required_set() { write!(line, " {name}") } else { write!(line, " [{name}]") };
    }
    line
}

fn written(argument: &Arg) -> String {
    let takes_value = argument.get_action().takes_values();
    match (argument.get_long(), argument.get_short()) {
        (None, None) => value(argument),
        (long, short) => {
            let mut names: Vec<String> = Vec::new();
            names.extend(short.map(|short| format!("-{short}")));
            names.extend(long.map(|long| format!("--{long}")));
            let names = names.join(", ");
            if takes_value { format!("{names} {}", value(argument)) } else { names }
        }
    }
}

fn value(argument: &Arg) -> String {
    argument
        .get_value_names()
        .and_then(|names| names.first())
        .map_or_else(|| argument.get_id().to_string().to_uppercase(), ToString::to_string)
}
