//! The write guard: the protocols of clients and of git, on a real repository.

use crate::shop::{Shop, text};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

#[test]
fn files_are_written_as_the_rules_say() {
    let shop = Shop::new();
    assert!(shop.may_edit("shop/upload.py"), "1: no task");
    shop.start();
    assert!(!shop.may_edit("shop/upload.py"), "2: exploration, unread");
    shop.explore();
    assert!(!shop.may_edit("shop/upload.py"), "3: exploration, read");
    shop.ok(Shop::UNDERSTOOD);
    assert!(shop.may_edit("shop/upload.py"), "4: ready, read");
    assert!(shop.may_edit("shop/upload.py"), "5: again");
    assert!(!shop.may_edit("shop/secret.py"), "6: ready, unread");
    assert!(!shop.may_edit("other/lonely.py"), "7: ready, unread directory");
    assert!(shop.may_edit("shop/new.py"), "8: a new file beside read ones");
    assert!(!shop.may_edit("other/new.py"), "9: a new file in an unread directory");
    assert!(!shop.may_edit("brand/new/file.py"), "10: a new file in a new directory");
    assert!(shop.may_edit("/tmp/elsewhere.py"), "11: outside the tree");
    assert!(!shop.may_edit("shop/../shop/secret.py"), "12: another spelling of an unread file");
    assert!(shop.may_edit("other/../shop/upload.py"), "13: another spelling of a read one");
    shop.ok(&["show", "shop/secret.py"]);
    assert!(shop.may_edit("shop/secret.py"), "14: read now");
    shop.ok(&["outline", "other"]);
    assert!(shop.may_edit("other/new.py"), "15: the directory was listed");
    assert!(!shop.may_edit("other/lonely.py"), "16: a list of a directory does not show its files' source");
    shop.ok(&["task", "revert"]);
    assert!(!shop.may_edit("shop/upload.py"), "17: back in exploration");
    shop.ok(&["task", "submit"]);
    assert!(shop.may_edit("shop/upload.py"), "18: what was understood was kept");
    shop.ok(&["task", "finish", "--outcome", "abandoned"]);
    assert!(shop.may_edit("other/lonely.py"), "19: the task has ended");
}

#[cfg(unix)]
#[test]
fn a_link_is_the_file_it_leads_to() {
    let shop = Shop::new();
    shop.ready();
    std::os::unix::fs::symlink(shop.root().join("shop/secret.py"), shop.root().join("shop/link.py"))
        .expect("a link");
    std::os::unix::fs::symlink(shop.root().join("other"), shop.root().join("shop/sub")).expect("a link");
    assert!(!shop.may_edit("shop/link.py"), "20: a link to an unread file");
    assert!(!shop.may_edit("shop/sub/lonely.py"), "21: through a link to a directory");
    assert!(!shop.may_edit("shop/sub/new.py"), "22: a new file through a link");
}

#[test]
fn changes_from_outside_must_be_read_and_own_changes_need_not() {
    let shop = Shop::new();
    shop.ready();
    assert!(shop.may_edit("shop/upload.py"));
    shop.write("shop/upload.py", "def send(path):\n    return push(read(path))\n\n\ndef read(path):\n    return 1\n\n\ndef push(data):\n    return 2\n");
    let (code, ..) = shop.hook("claude-code", &shop.message("PostToolUse", "Edit", "shop/upload.py"));
    assert_eq!(code, 0);
    assert!(shop.may_edit("shop/upload.py"), "23: changed by the agent's own permitted edit");
    let (code, ..) = shop.hook("claude-code", &shop.message("PostToolUse", "Edit", "shop/upload.py"));
    assert_eq!(code, 0);
    shop.write("shop/upload.py", "def send(path):\n    return 0\n\n\ndef push(data):\n    return 3\n");
    assert!(!shop.may_edit("shop/upload.py"), "24: changed by somebody else");
    shop.ok(&["show", "shop/upload.py"]);
    assert!(shop.may_edit("shop/upload.py"), "25: read again");
    shop.write("shop/retry.py", "from shop.upload import push\n\n\ndef push_again(data):\n    return 7\n");
    assert!(!shop.may_edit("shop/retry.py"), "26: changed without any permitted edit");
}

#[test]
fn the_clients_own_reads_count_if_its_hook_reports_them() {
    let shop = Shop::new();
    shop.ready();
    assert!(!shop.may_edit("shop/secret.py"));
    let (code, ..) = shop.hook("claude-code", &shop.message("PostToolUse", "Read", "shop/secret.py"));
    assert_eq!(code, 0);
    assert!(shop.may_edit("shop/secret.py"), "27: read with the client's own tool");
    let (code, out, _) = shop.hook("claude-code", &shop.message("PreToolUse", "Read", "other/lonely.py"));
    assert_eq!((code, out.as_str()), (0, ""), "28: reading is never refused");
    assert!(!shop.may_edit("other/lonely.py"), "29: a read that has not happened yet does not count");
}

#[test]
fn uses_in_other_files_must_have_been_read() {
    let shop = Shop::new();
    shop.start();
    for args in [
        &["show", "shop/upload.py"][..],
        &["show", "send"],
        &["show", "read"],
        &["show", "push"],
        &["references", "read"],
        &["show", "shop/menu.py"],
    ] {
        shop.ok(args);
    }
    shop.ok(&[
        "task",
        "submit",
        "--symbol",
        "send",
        "--symbol",
        "read",
        "--symbol",
        "push",
        "--entry-point",
        "send",
        "--file",
        "shop/upload.py",
        "--file",
        "shop/menu.py",
        "--pattern",
        "read",
    ]);
    assert_eq!(shop.phase(), "ready");
    let (code, out, error) = shop.hook("claude-code", &shop.message("PreToolUse", "Write", "shop/upload.py"));
    assert_eq!(code, 2, "30: callers were never read: {out}{error}");
    assert!(error.contains("shop/cli.py:6") && error.contains("\"relation\":\"impact\""), "{error}");
    shop.ok(&["impact", "send", "read", "push"]);
    assert!(shop.may_edit("shop/upload.py"), "31: the call that the refusal names clears it");
}

#[test]
fn the_decision_has_the_form_that_each_client_reads() {
    let shop = Shop::new();
    shop.ready();
    let refused = |caller: &str, message: &Value| {
        let (code, out, error) = shop.hook(caller, &message.to_string());
        assert_eq!(code, 2, "{caller}: {out}{error}");
        assert!(error.contains("was not read in this task"), "{error}");
        serde_json::from_str::<Value>(&out).expect("a decision")
    };
    let root = shop.root();
    let claude = json!({ "hook_event_name": "PreToolUse", "tool_name": "MultiEdit", "cwd": root,
        "tool_input": { "file_path": root.join("shop/secret.py"), "edits": [] } });
    let decision = &refused("claude-code", &claude)["hookSpecificOutput"];
    assert_eq!(decision["permissionDecision"], "deny", "32");
    let reason = decision["permissionDecisionReason"].as_str().expect("a reason");
    assert!(
        reason.contains("read {\"target\":\"shop/secret.py\""),
        "it names the call that clears it: {reason}"
    );
    let notebook = json!({ "hook_event_name": "PreToolUse", "tool_name": "NotebookEdit", "cwd": root.join("shop"),
        "tool_input": { "notebook_path": "secret.py" } });
    assert_eq!(
        refused("claude-code", &notebook)["hookSpecificOutput"]["permissionDecision"],
        "deny",
        "33: relative"
    );

    shop.ok(&["task", "start", "--intent", "modify", "x"]);
    // The task of a command line that no agent started counts for every client.
    let mut shop = Shop::new();
    shop.client = "cli";
    shop.ready();
    let root = shop.root();
    let refused = |caller: &str, message: Value| {
        let (code, out, error) = shop.hook(caller, &message.to_string());
        assert_eq!(code, 2, "{caller}: {out}{error}");
        serde_json::from_str::<Value>(&out).expect("a decision")
    };
    let gemini = json!({ "hook_event_name": "BeforeTool", "tool_name": "write_file", "cwd": root,
        "tool_input": { "file_path": "shop/secret.py", "content": "" } });
    assert_eq!(refused("gemini", gemini)["decision"], "deny", "34");
    let cursor = json!({ "hook_event_name": "preToolUse", "tool_name": "Write", "cwd": root,
        "tool_input": { "path": "shop/secret.py" } });
    assert_eq!(refused("cursor", cursor)["permission"], "deny", "35");
    let patch = "*** Begin Patch\n*** Update File: shop/upload.py\n@@\n-a\n+b\n*** Update File: shop/secret.py\n*** End Patch";
    let codex = json!({ "hook_event_name": "PreToolUse", "tool_name": "apply_patch", "cwd": root,
        "tool_input": { "command": patch } });
    assert_eq!(
        refused("codex", codex)["hookSpecificOutput"]["permissionDecision"],
        "deny",
        "36: one file of two"
    );
    let opencode = json!({ "hook_event_name": "PreToolUse", "tool_name": "edit", "cwd": root,
        "tool_input": { "filePath": root.join("shop/secret.py") } });
    refused("opencode", opencode);
}

#[test]
fn what_is_not_understood_is_allowed() {
    let shop = Shop::new();
    shop.ready();
    for message in ["", "not json", "[]", "{\"tool_name\": \"Edit\"}", "{\"tool_input\": {\"file_path\": 7}}"]
    {
        assert_eq!(shop.hook("claude-code", message).0, 0, "37: {message}");
    }
}

#[test]
fn a_store_that_is_gone_allows_with_a_note_unless_the_setting_says_otherwise() {
    let shop = Shop::new();
    shop.ready();
    let tasks = find(&shop.store(), "tasks.db").expect("there is a task");
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{suffix}", tasks.display()));
    }
    fs::write(&tasks, "damaged ".repeat(1000)).expect("written");
    let message = shop.message("PreToolUse", "Edit", "shop/secret.py");
    let (code, _, error) = shop.hook("claude-code", &message);
    assert_eq!(code, 0, "38: fails open: {error}");
    assert!(error.contains("could not be read") && error.contains("allowed"), "with a note: {error}");
    let settings = shop.root().parent().expect("a parent").join("home/.config/orient");
    fs::create_dir_all(&settings).expect("a directory");
    fs::write(settings.join("config.toml"), "[task]\nfail_closed = true\n").expect("written");
    let (code, _, error) = shop.hook("claude-code", &message);
    assert_eq!(code, 2, "39: fails closed: {error}");
    fs::remove_dir_all(shop.store()).expect("removed");
    assert_eq!(shop.hook("claude-code", &message).0, 0, "40: without a store there is no task");
}

fn find(directory: &std::path::Path, name: &str) -> Option<std::path::PathBuf> {
    for entry in fs::read_dir(directory).ok()?.flatten() {
        if entry.file_name() == name {
            return Some(entry.path());
        }
        if let Some(found) = find(&entry.path(), name) {
            return Some(found);
        }
    }
    None
}

#[cfg(unix)]
#[test]
fn git_refuses_a_commit_of_what_was_never_read() {
    let shop = Shop::new();
    let setup = shop.ok(&["setup", "git", "--guard", "--command", env!("CARGO_BIN_EXE_orient")]);
    assert!(setup.contains('+') && setup.contains("guard git"), "the change is shown: {setup}");
    shop.ready();
    let commit = || {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-am", "change"]);
        git.current_dir(shop.root()).env("ORIENT_STORE", shop.store()).env("ORIENT_CLIENT", "claude-code");
        let output = git.output().expect("git runs");
        (output.status.success(), text(&output.stderr))
    };
    shop.write("shop/secret.py", "def hidden():\n    return 43\n");
    let (done, error) = commit();
    assert!(!done && error.contains("shop/secret.py was not read in this task"), "41: {error}");
    shop.ok(&["show", "shop/secret.py"]);
    let (done, error) = commit();
    assert!(done, "42: {error}");
    shop.ok(&["setup", "git", "--guard", "--undo"]);
    assert!(!shop.root().join(".git/hooks/pre-commit").exists(), "43");
}

#[test]
fn hooks_are_installed_beside_others_and_removed_again() {
    let shop = Shop::new();
    let file = shop.root().join(".claude/settings.json");
    fs::create_dir_all(file.parent().expect("a directory")).expect("created");
    let before = "{\n  \"model\": \"opus\"\n}\n";
    fs::write(&file, before).expect("written");
    let shown = shop.ok(&["setup", "claude-code", "--guard", "--scope", "project", "--dry-run"]);
    assert!(shown.contains("guard claude-code"), "{shown}");
    assert_eq!(fs::read_to_string(&file).expect("there"), before, "a dry run writes nothing");
    shop.ok(&["setup", "claude-code", "--guard", "--scope", "project"]);
    let after: Value = serde_json::from_str(&fs::read_to_string(&file).expect("there")).expect("JSON");
    assert_eq!(after["hooks"]["PreToolUse"][0]["hooks"][0]["command"], "orient guard claude-code");
    assert_eq!(after["model"], "opus");
    shop.ok(&["setup", "claude-code", "--guard", "--scope", "project", "--undo"]);
    assert_eq!(fs::read_to_string(&file).expect("there"), before);
    shop.ok(&["setup", "claude-code", "--skill", "--scope", "project"]);
    let skill = fs::read_to_string(shop.root().join(".claude/skills/orient/SKILL.md")).expect("there");
    assert!(skill.contains("`task` start"), "{skill}");
}
