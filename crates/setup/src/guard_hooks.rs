//! Hooks of clients that ask the write guard before a file is written, and tell it what was read and written.
//!
//! As the rest of the crate: text in, text out. A hook is found again by its command, `orient guard CLIENT`.

use crate::clients::{ConfigDirs, Scope};
use crate::error::EditError;
use crate::plan::{Plan, TextEdit};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use std::path::PathBuf;

/// Where a client keeps its hooks and how they are written.
pub struct GuardHooks {
    /// The id of the client; `git` for the hook of a repository.
    pub client: &'static str,
    /// Its name in output.
    pub name: &'static str,
    user_file: Option<&'static str>,
    project_file: &'static str,
    form: HookForm,
}

/// How hooks are written.
enum HookForm {
    /// `{ "hooks": { EVENT: [ { "matcher": …, "hooks": [ { "type": "command", "command": … } ] } ] } }`.
    Nested(&'static [(&'static str, &'static str)]),
    /// `{ "version": 1, "hooks": { EVENT: [ { "command": …, "matcher": … } ] } }`.
    Flat(&'static [(&'static str, &'static str)]),
    /// A file of our own.
    File(fn(&str) -> String),
}

const EDITS: &str = "Edit|MultiEdit|Write|NotebookEdit";
const EDITS_AND_READS: &str = "Edit|MultiEdit|Write|NotebookEdit|Read";

/// All clients with hooks, and git.
pub const GUARD_HOOKS: &[GuardHooks] = &[
    GuardHooks {
        client: "claude-code",
        name: "Claude Code",
        user_file: Some(".claude/settings.json"),
        project_file: ".claude/settings.json",
        form: HookForm::Nested(&[("PreToolUse", EDITS), ("PostToolUse", EDITS_AND_READS)]),
    },
    GuardHooks {
        client: "codex",
        name: "Codex",
        user_file: Some(".codex/hooks.json"),
        project_file: ".codex/hooks.json",
        form: HookForm::Nested(&[
            ("PreToolUse", "apply_patch|Edit|Write"),
            ("PostToolUse", "apply_patch|Edit|Write"),
        ]),
    },
    GuardHooks {
        client: "gemini",
        name: "Gemini CLI",
        user_file: Some(".gemini/settings.json"),
        project_file: ".gemini/settings.json",
        form: HookForm::Nested(&[
            ("BeforeTool", "write_file|replace"),
            ("AfterTool", "write_file|replace|read_file"),
        ]),
    },
    GuardHooks {
        client: "cursor",
        name: "Cursor",
        user_file: Some(".cursor/hooks.json"),
        project_file: ".cursor/hooks.json",
        form: HookForm::Flat(&[
            ("preToolUse", "Write|StrReplace|Edit"),
            ("postToolUse", "Write|StrReplace|Edit|Read"),
        ]),
    },
    GuardHooks {
        client: "opencode",
        name: "opencode",
        user_file: Some(".config/opencode/plugins/orient-guard.js"),
        project_file: ".opencode/plugins/orient-guard.js",
        form: HookForm::File(plugin),
    },
    GuardHooks {
        client: "git",
        name: "git",
        user_file: None,
        project_file: ".git/hooks/pre-commit",
        form: HookForm::File(pre_commit),
    },
];

/// JSON, plus comments and trailing commas.
fn syntax() -> ParseOptions {
    ParseOptions { allow_comments: true, allow_trailing_commas: true, ..ParseOptions::default() }
}

impl GuardHooks {
    /// The hooks of a client.
    pub fn by_client(id: &str) -> Option<&'static Self> {
        GUARD_HOOKS.iter().find(|hooks| hooks.client == id)
    }

    /// The file of a scope; `None` if there is none.
    pub fn file(&self, scope: Scope, dirs: &ConfigDirs) -> Option<PathBuf> {
        match scope {
            Scope::Project => Some(dirs.project.join(self.project_file)),
            Scope::User => self.user_file.map(|file| dirs.home.join(file)),
        }
    }

    /// Whether its file is a program that must be executable.
    pub fn is_program(&self) -> bool {
        self.client == "git"
    }

    /// Plans the edit that installs the hooks. `command` is the program; the empty text stands for a file that does not exist.
    pub fn plan(&self, text: &str, command: &str) -> Result<Plan, EditError> {
        let after = match &self.form {
            HookForm::File(write) => {
                let ours = write(command);
                if !text.is_empty() && text != ours {
                    let message = format!(
                        "there is a hook already; call `git diff --cached --name-only -z | {command} guard git` from it"
                    );
                    return Err(EditError::Unsupported { message });
                }
                ours
            }
            HookForm::Nested(events) => self.installed(text, events, &|matcher| {
                let call = object(&[("type", "command".into()), ("command", self.call(command).into())]);
                object(&[("matcher", matcher.into()), ("hooks", CstInputValue::Array(vec![call]))])
            })?,
            HookForm::Flat(events) => self.installed(text, events, &|matcher| {
                object(&[("command", self.call(command).into()), ("matcher", matcher.into())])
            })?,
        };
        Ok(match difference(text, &after) {
            Some(edit) => Plan::Edit { text: after, edit },
            None => Plan::UpToDate,
        })
    }

    /// The text without the hooks; `None` if there are none.
    pub fn undo(&self, text: &str, edit: Option<&TextEdit>) -> Result<Option<String>, EditError> {
        if let HookForm::File(_) = self.form {
            return Ok(text.contains(&format!("guard {}", self.client)).then(String::new));
        }
        if let Some(before) = edit.and_then(|edit| edit.revert(text)) {
            return Ok(Some(before));
        }
        let root = parse(text)?;
        let removed =
            root.object_value().and_then(|root| root.object_value("hooks")).map(|hooks| self.remove(&hooks));
        Ok(removed.filter(|count| *count > 0).map(|_| root.to_string()))
    }

    fn call(&self, command: &str) -> String {
        let quoted = if command.contains(' ') { format!("\"{command}\"") } else { command.to_owned() };
        format!("{quoted} guard {}", self.client)
    }

    fn installed(
        &self,
        text: &str,
        events: &[(&str, &str)],
        entry: &dyn Fn(&str) -> CstInputValue,
    ) -> Result<String, EditError> {
        let root = parse(if text.trim().is_empty() { "{}\n" } else { text })?;
        let table = || EditError::NotATable { path: "`hooks`".to_owned() };
        let top = root.object_value_or_create().ok_or_else(table)?;
        if let (HookForm::Flat(_), None) = (&self.form, top.get("version")) {
            top.append("version", CstInputValue::Number("1".to_owned()));
        }
        let hooks = top.object_value_or_create("hooks").ok_or_else(table)?;
        if is_installed(&hooks, events, entry) {
            return Ok(text.to_owned());
        }
        self.remove(&hooks);
        for (event, matcher) in events {
            let list = hooks.array_value_or_create(event).ok_or_else(table)?;
            list.append(entry(matcher));
        }
        let mut after = root.to_string();
        if !after.ends_with('\n') {
            after.push('\n');
        }
        Ok(after)
    }

    /// Removes our entries; returns how many there were.
    fn remove(&self, hooks: &CstObject) -> usize {
        let mark = format!("guard {}\"", self.client);
        let mut count = 0;
        for property in hooks.properties() {
            let elements = property.array_value().map(|list| list.elements()).unwrap_or_default();
            for element in elements {
                if element.to_string().contains(&mark) {
                    element.remove();
                    count += 1;
                }
            }
        }
        count
    }
}

/// Whether every event has exactly our entry.
fn is_installed(hooks: &CstObject, events: &[(&str, &str)], entry: &dyn Fn(&str) -> CstInputValue) -> bool {
    let written = |matcher: &str| {
        let root = CstRootNode::parse("", &syntax()).ok()?;
        root.set_value(entry(matcher));
        Some(squeezed(&root.to_string()))
    };
    events.iter().all(|(event, matcher)| {
        let ours = written(matcher);
        let elements = hooks.array_value(event).map(|list| list.elements()).unwrap_or_default();
        elements.iter().any(|element| Some(squeezed(&element.to_string())) == ours)
    })
}

fn parse(text: &str) -> Result<CstRootNode, EditError> {
    CstRootNode::parse(text, &syntax())
        .map_err(|error| EditError::malformed(text, error.range().start, &error.kind().to_string()))
}

fn object(fields: &[(&str, CstInputValue)]) -> CstInputValue {
    CstInputValue::Object(fields.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
}

/// A text without white space.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The one replacement that makes a text another; `None` if they are the same.
fn difference(before: &str, after: &str) -> Option<TextEdit> {
    if before == after {
        return None;
    }
    let mut start = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    while !before.is_char_boundary(start) || !after.is_char_boundary(start) {
        start -= 1;
    }
    let (old, new) = (&before[start..], &after[start..]);
    let mut end = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count();
    while !old.is_char_boundary(old.len() - end) || !new.is_char_boundary(new.len() - end) {
        end -= 1;
    }
    let part = |text: &str| text[..text.len() - end].to_owned();
    Some(TextEdit { at: start, inserted: part(new), replaced: part(old) })
}

/// The plugin of opencode: a thrown error refuses the call.
fn plugin(command: &str) -> String {
    let command = command.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "// Installed by `orient setup opencode --guard`: asks `orient guard opencode` before a file is written.
import {{ spawnSync }} from \"node:child_process\"

const ask = (event, tool, args, directory) => {{
  const call = {{ hook_event_name: event, tool_name: tool, tool_input: args, cwd: directory }}
  return spawnSync(\"{command}\", [\"guard\", \"opencode\"], {{ input: JSON.stringify(call), encoding: \"utf8\" }})
}}

export const OrientGuard = async ({{ directory }}) => ({{
  \"tool.execute.before\": async (input, output) => {{
    if (![\"edit\", \"write\", \"patch\", \"apply_patch\"].includes(input.tool)) return
    const answer = ask(\"PreToolUse\", input.tool, output.args, directory)
    if (answer.status === 2) throw new Error(answer.stderr.trim())
  }},
  \"tool.execute.after\": async (input) => {{
    if (![\"edit\", \"write\", \"patch\", \"apply_patch\", \"read\"].includes(input.tool)) return
    ask(\"PostToolUse\", input.tool, input.args ?? {{}}, directory)
  }},
}})
"
    )
}

/// The pre-commit hook of git. A missing program allows the commit, with a note.
fn pre_commit(command: &str) -> String {
    format!(
        "#!/bin/sh
# Installed by `orient setup git --guard`: asks `orient guard git` whether the task may commit what is staged.
if command -v \"{command}\" >/dev/null 2>&1; then
    git diff --cached --name-only -z --diff-filter=ACMR | \"{command}\" guard git
else
    echo \"orient is not installed: the commit was not checked\" >&2
fi
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(client: &str, before: &str) -> (String, TextEdit) {
        let hooks = GuardHooks::by_client(client).expect("it has hooks");
        match hooks.plan(before, "orient") {
            Ok(Plan::Edit { text, edit }) => (text, edit),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn hooks_are_added_beside_others_once_and_can_be_undone() {
        let before = "{\n  // mine\n  \"model\": \"x\",\n  \"hooks\": { \"PreToolUse\": [{ \"matcher\": \"Bash\", \"hooks\": [] }] }\n}\n";
        for client in ["claude-code", "codex", "gemini", "cursor"] {
            let hooks = GuardHooks::by_client(client).expect("it has hooks");
            for before in ["", before] {
                let (text, edit) = edited(client, before);
                assert!(text.contains(&format!("orient guard {client}")), "{text}");
                assert_eq!(
                    hooks.plan(&text, "orient"),
                    Ok(Plan::UpToDate),
                    "{client}: a second run changes nothing"
                );
                assert_eq!(hooks.undo(&text, Some(&edit)), Ok(Some(before.to_owned())), "{client}");
                let without = hooks.undo(&text, None).expect("valid").expect("there were hooks");
                assert!(!without.contains("guard"), "{without}");
                assert_eq!(before.contains("Bash"), without.contains("Bash"), "others stay: {without}");
            }
        }
    }

    #[test]
    fn another_program_replaces_ours_and_a_foreign_hook_is_left_alone() {
        let (first, _) = edited("claude-code", "");
        let hooks = GuardHooks::by_client("claude-code").expect("it has hooks");
        let Ok(Plan::Edit { text, .. }) = hooks.plan(&first, "/opt/orient") else { panic!("no edit") };
        assert!(text.contains("/opt/orient guard claude-code") && !text.contains("\"orient guard"), "{text}");
        let git = GuardHooks::by_client("git").expect("it has a hook");
        assert!(git.plan("#!/bin/sh\nexit 0\n", "orient").is_err());
        let (hook, _) = edited("git", "");
        assert_eq!(git.undo(&hook, None), Ok(Some(String::new())));
        assert_eq!(git.undo("#!/bin/sh\nexit 0\n", None), Ok(None));
    }
}
