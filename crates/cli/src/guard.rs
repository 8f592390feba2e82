//! `orient guard`: the write guard as a hook of an agent's client, or of git.
//!
//! A client passes the tool call on standard input as JSON and reads the decision from the exit code (2 refuses) and from standard
//! output. Git's hook passes the staged paths, separated by NUL.

use crate::config::Config;
use crate::render;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use orient_engine::{Cancel, NoProgress};
use orient_tools::{
    Exit, GuardDecision, Session, ToolError, check_write_target, record_native_read, record_write,
    write_json_line,
};
use serde_json::{Value, json};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The callers: clients with hooks, and git.
pub(crate) const CALLERS: &[&str] = &["claude-code", "codex", "gemini", "cursor", "opencode", "git"];

/// Maximum size of a message.
const MAX_MESSAGE: u64 = 64 << 20;

/// The client of commands that no agent has started: its task counts for every hook.
const COMMAND_LINE: &str = "cli";

/// The definition of the subcommand.
pub(crate) fn command() -> Command {
    Command::new("guard")
        .about("Decide, as a hook, whether the current task may write a file")
        .long_about(
            "Decide, as a hook, whether the current task may write a file.\n\n\
             Reads a tool call from standard input as the client's hooks pass it, and answers with exit code 2 if the \
             task has not read enough. Without a task, everything is allowed. `orient setup CLIENT --guard` installs it.",
        )
        .arg(
            Arg::new("caller")
                .value_name("CALLER")
                .required(true)
                .value_parser(PossibleValuesParser::new(CALLERS))
                .help("Whose hook it is"),
        )
        .after_help(
            "Examples:\n  orient guard claude-code < call.json                       as a hook of Claude Code\n  \
             git diff --cached --name-only -z | orient guard git        as git's pre-commit hook",
        )
}

/// Runs the subcommand.
#[expect(clippy::unnecessary_wraps, reason = "the form of every subcommand; the guard fails open")]
pub(crate) fn run(config: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    let caller = matches.get_one::<String>("caller").map(String::as_str).unwrap_or_default();
    let mut message = Vec::new();
    // A message that cannot be read is no write that we know of.
    let _ = io::stdin().lock().take(MAX_MESSAGE).read_to_end(&mut message);
    if caller == "git" {
        return Ok(staged(config, &message));
    }
    let call = HookCall::parse(&message);
    let mut setup = config.setup;
    if let Some(directory) = call.directory.as_ref().filter(|directory| directory.is_dir()) {
        (setup.start, setup.directory) = (directory.clone(), directory.clone());
    }
    let directory = setup.directory.clone();
    let cancel = Cancel::default();
    let Ok(session) = Session::open(setup, &NoProgress, &cancel) else {
        return Ok(Exit::Ok);
    };
    let clients = [caller, COMMAND_LINE];
    let mut noted = String::new();
    for path in &call.paths {
        let path = directory.join(path);
        match call.event {
            HookEvent::BeforeWrite => {
                let decision = check_write_target(&session, &clients, &path, false);
                if !decision.allowed {
                    return Ok(refused(caller, &decision));
                }
                noted.push_str(&decision.reason);
            }
            // A record that fails only means that the agent is asked to read again.
            HookEvent::AfterWrite => drop(record_write(&session, &clients, &path)),
            HookEvent::AfterRead => drop(record_native_read(&session, &clients, &path, call.lines)),
            HookEvent::Other => {}
        }
    }
    if !noted.is_empty() {
        print_error(&format!("orient: {noted}"));
    }
    Ok(Exit::Ok)
}

/// Prints a refusal as the caller expects it. All clients take exit code 2 and standard error; those that read a decision from
/// standard output get it there too.
fn refused(caller: &str, decision: &GuardDecision) -> Exit {
    let reason = decision.message();
    let answer = match caller {
        "cursor" => json!({ "permission": "deny", "user_message": reason, "agent_message": reason }),
        "gemini" => json!({ "decision": "deny", "reason": reason }),
        _ => json!({ "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        } }),
    };
    let _ = render::raw(|out| write_json_line(&answer, out));
    print_error(&reason);
    Exit::Usage
}

fn print_error(text: &str) {
    use std::io::Write;
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Checks the staged files of a commit.
fn staged(config: Config, message: &[u8]) -> Exit {
    let cancel = Cancel::default();
    let Ok(session) = Session::open(config.setup, &NoProgress, &cancel) else { return Exit::Ok };
    // Git runs hooks in the top directory of the working tree; the agent that commits may have set its variable.
    let client = orient_tools::client_of_environment(|name| std::env::var(name).ok());
    let mut exit = Exit::Ok;
    for name in message.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        let path = session.root().join(String::from_utf8_lossy(name).as_ref());
        let decision = check_write_target(&session, &[&client, COMMAND_LINE], &path, false);
        // Who commits has written: only what was never read is refused, not what changed by writing.
        if !decision.allowed {
            print_error(&decision.message());
            exit = Exit::Nothing;
        }
    }
    exit
}

/// When a hook is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HookEvent {
    BeforeWrite,
    AfterWrite,
    AfterRead,
    Other,
}

/// A tool call that a hook was told about.
#[derive(Debug, PartialEq, Eq)]
struct HookCall {
    event: HookEvent,
    paths: Vec<PathBuf>,
    /// The lines that were read; all if absent.
    lines: Option<(u32, u32)>,
    directory: Option<PathBuf>,
}

/// The names under which clients pass the path of a file.
const PATH_KEYS: &[&str] =
    &["file_path", "filePath", "notebook_path", "absolute_path", "path", "target_file"];

impl HookCall {
    /// Parses the message of a hook; one that is not understood concerns no file.
    fn parse(message: &[u8]) -> Self {
        let value: Value = serde_json::from_slice(message).unwrap_or_default();
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let tool = text("tool_name").to_lowercase();
        let (event, input) = (text("hook_event_name").to_lowercase(), &value["tool_input"]);
        let is_before = event.starts_with("pre") || event.starts_with("before");
        let is_read = tool.contains("read") || tool == "view";
        let event = match (is_before, is_read) {
            (true, true) => HookEvent::Other,
            (true, false) => HookEvent::BeforeWrite,
            (false, true) => HookEvent::AfterRead,
            (false, false) => HookEvent::AfterWrite,
        };
        let named = PATH_KEYS.iter().find_map(|key| input[*key].as_str()).map(PathBuf::from);
        let mut paths: Vec<PathBuf> = named.into_iter().collect();
        if tool.contains("patch") {
            let patch =
                ["command", "input", "patch", "patchText"].iter().find_map(|key| input[*key].as_str());
            paths.extend(patched(patch.unwrap_or_default()));
        }
        let number = |key: &str| input[key].as_u64().and_then(|number| u32::try_from(number).ok());
        let lines = number("limit").map(|count| {
            let first = number("offset").unwrap_or(1).max(1);
            (first, first.saturating_add(count).saturating_sub(1))
        });
        let lines = lines.or_else(|| number("offset").map(|first| (first.max(1), u32::MAX)));
        let directory = Some(text("cwd")).filter(|cwd| Path::new(cwd).is_absolute()).map(PathBuf::from);
        Self { event, paths, lines, directory }
    }
}

/// The files of a patch in the format of Codex: `*** Update File: src/a.go`.
fn patched(patch: &str) -> impl Iterator<Item = PathBuf> {
    const HEADS: &[&str] = &["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
    patch.lines().filter_map(|line| HEADS.iter().find_map(|head| line.strip_prefix(head)).map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(value: &Value) -> HookCall {
        HookCall::parse(value.to_string().as_bytes())
    }

    #[test]
    fn the_messages_of_clients_are_understood() {
        let edit = parse(&json!({ "hook_event_name": "PreToolUse", "tool_name": "Edit", "cwd": "/r",
            "tool_input": { "file_path": "/r/a.py", "old_string": "a", "new_string": "b" } }));
        assert_eq!((edit.event, &edit.paths[..]), (HookEvent::BeforeWrite, &[PathBuf::from("/r/a.py")][..]));
        let read = parse(&json!({ "hook_event_name": "PostToolUse", "tool_name": "Read",
            "tool_input": { "file_path": "/r/a.py", "offset": 10, "limit": 5 } }));
        assert_eq!((read.event, read.lines), (HookEvent::AfterRead, Some((10, 14))));
        let gemini = parse(&json!({ "hook_event_name": "BeforeTool", "tool_name": "write_file",
            "tool_input": { "file_path": "a.py", "content": "" } }));
        assert_eq!(gemini.event, HookEvent::BeforeWrite);
        let patch = "*** Begin Patch\n*** Update File: a.py\n@@\n*** Add File: b.py\n+x\n*** End Patch";
        let codex = parse(&json!({ "hook_event_name": "PreToolUse", "tool_name": "apply_patch",
            "tool_input": { "command": patch } }));
        assert_eq!(codex.paths, [PathBuf::from("a.py"), PathBuf::from("b.py")]);
        assert_eq!(HookCall::parse(b"not json").paths, Vec::<PathBuf>::new());
    }
}
