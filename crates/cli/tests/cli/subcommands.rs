//! Subcommands that are not queries: setup, watch, completions.

use crate::sandbox::{Sandbox, text};
use std::fs;
use std::path::PathBuf;

fn tree() -> Sandbox {
    Sandbox::new(&[("a.py", "def one(): pass\n")])
}

fn home(tree: &Sandbox) -> PathBuf {
    tree.root().parent().expect("a directory").join("home")
}

#[test]
fn a_client_is_set_up_and_everything_comes_back() {
    let tree = tree();
    let file = tree.root().join(".cursor/mcp.json");
    let added = text(&tree.run(&["setup", "cursor", "--scope", "project"]).stdout);
    assert!(added.contains("+     \"orient\": {") && added.contains("Cursor (project) added"), "{added}");
    let written = fs::read_to_string(&file).expect("written");
    assert!(
        written.contains("\"command\": \"orient\"") && written.contains("\"args\": [\"mcp\"]"),
        "{written}"
    );
    let again = text(&tree.run(&["setup", "cursor", "--scope", "project"]).stdout);
    assert_eq!(again, "Cursor (project) is already set up\n");
    let removed = text(&tree.run(&["setup", "cursor", "--scope", "project", "--undo"]).stdout);
    assert!(removed.contains("Cursor (project) removed"), "{removed}");
    assert!(!tree.root().join(".cursor").exists(), "what was made is gone");
}

#[test]
fn the_users_own_text_stays_to_the_byte() {
    let tree = tree();
    let before =
        "// mine\n{\n\t\"theme\": \"x\", // dark\n\t\"context_servers\": {\n\t\t\"a\": {},\n\t},\n}\n";
    let file = home(&tree).join(".config/zed/settings.json");
    fs::create_dir_all(file.parent().expect("a directory")).expect("made");
    fs::write(&file, before).expect("written");
    let dry = tree.run(&["setup", "zed", "--dry-run"]);
    assert!(text(&dry.stdout).contains("would be added") && dry.status.success());
    assert_eq!(fs::read_to_string(&file).expect("there"), before);
    assert!(tree.run(&["setup", "zed"]).status.success());
    let after = fs::read_to_string(&file).expect("there");
    assert!(after.contains("\"a\": {},\n\t\t\"orient\": {") && after.contains("// dark"), "{after}");
    let outcome = tree.json(&["setup", "zed", "--json"]);
    assert_eq!((&outcome[0]["state"], &outcome[0]["client"]), (&"unchanged".into(), &"zed".into()));
    assert!(tree.run(&["setup", "zed", "--undo"]).status.success());
    assert_eq!(fs::read_to_string(&file).expect("there"), before);
}

#[test]
fn a_broken_configuration_is_left_alone() {
    let tree = tree();
    tree.write(".mcp.json", "{ \"mcpServers\": ");
    let output = tree.run(&["setup", "claude-code", "--scope", "project"]);
    assert_eq!(output.status.code(), Some(5));
    assert!(
        text(&output.stdout)
            .contains("line 1, column 17: expected value after colon in object property; fix the file")
    );
    assert_eq!(fs::read_to_string(tree.root().join(".mcp.json")).expect("there"), "{ \"mcpServers\": ");
    let none = tree.run(&["setup", "windsurf", "--scope", "project"]);
    assert!(text(&none.stdout).contains("Windsurf has no project configuration"));
}

#[test]
fn setup_without_a_client_lists_installed_clients() {
    let tree = tree();
    fs::create_dir_all(home(&tree).join(".codex")).expect("made");
    let shown = text(&tree.run(&["setup"]).stdout);
    assert!(shown.contains("Codex (user) is not set up; run `orient setup codex`"), "{shown}");
    assert!(tree.run(&["setup", "--all"]).status.success());
    let config = fs::read_to_string(home(&tree).join(".codex/config.toml")).expect("written");
    assert!(config.starts_with("[mcp_servers.orient]\ncommand = "), "{config}");
    let print = text(&tree.run(&["setup", "--print", "opencode", "--command", "orient"]).stdout);
    assert!(print.contains("\"command\": [\"orient\", \"mcp\"]"), "{print}");
    assert!(text(&tree.run(&["setup", "--print"]).stdout).contains("Any client: run `"));
}

#[test]
fn the_doctor_says_what_to_type() {
    let tree = tree();
    let first = text(&tree.run(&["doctor"]).stdout);
    assert!(first.contains("orient index"), "{first}");
    assert!(tree.run(&["index", "-q"]).status.success());
    let well = tree.json(&["doctor", "--json"]);
    assert_eq!(well["data"]["healthy"], true, "{well}");
    tree.write(
        ".mcp.json",
        "{ \"mcpServers\": { \"orient\": { \"command\": \"/not/there\", \"args\": [\"mcp\"] } } }",
    );
    let output = tree.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(5));
    let ill = text(&output.stdout);
    assert!(ill.contains("is configured to start /not/there, which does not exist"), "{ill}");
    assert!(ill.contains("orient setup claude-code --scope project"), "{ill}");
}

#[test]
fn shells_and_man_get_every_command() {
    let tree = tree();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = text(&tree.run(&["completions", shell]).stdout);
        assert!(script.contains("callers") && script.contains("setup"), "{shell}");
    }
    let page = text(&tree.run(&["man"]).stdout);
    assert!(page.contains(".TH orient 1") && page.contains("callers"), "{page}");
    let directory = tree.root().join("man");
    assert!(tree.run(&["man", "--dir", "man"]).status.success());
    assert!(directory.join("orient.1").is_file() && directory.join("orient-callers.1").is_file());
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_watched_is_told_line_by_line_until_ctrl_c() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    let tree = tree();
    let mut child = tree.command(&["watch", "--json"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut next = || -> serde_json::Value {
        let line = lines.next().expect("another line").expect("text");
        serde_json::from_str(&line).expect("JSON")
    };
    let ready = next();
    assert_eq!((&ready["event"], &ready["added"]), (&"ready".into(), &1.into()), "{ready}");
    tree.write("b.py", "def two(): pass\n");
    let change = next();
    assert_eq!(
        (&change["event"], &change["paths"], &change["added"]),
        (&"change".into(), &serde_json::json!(["b.py"]), &1.into()),
        "{change}"
    );
    assert!(change["behind_ms"].as_f64().is_some_and(|behind| behind > 0.0), "{change}");
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("there is a kill").success());
    assert!(child.wait().expect("it ends").success(), "Ctrl-C is how it ends");
}

#[cfg(target_os = "linux")]
#[test]
fn a_command_beside_a_watcher_sees_every_save() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let tree = Sandbox::new(&[("a.py", "def first(): pass\n"), ("b.py", "other = 1\n")]);
    let mut child = tree.command(&["watch", "--json"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    assert!(lines.next().expect("a line").expect("readable").contains("ready"));
    for number in 0..10 {
        tree.write("a.py", format!("def saved_{number}(): pass\n"));
        tree.assert_output(
            &["grep", &format!("saved_{number}")],
            &format!("a.py:def saved_{number}(): pass"),
        );
        let symbols = format!("a.py:1  function saved_{number}  def saved_{number}()");
        tree.assert_output(&["symbols", &format!("saved_{number}")], &symbols);
    }
    child.kill().expect("killed");
    child.wait().expect("gone");
    tree.write("a.py", "def after(): pass\n");
    tree.assert_output(&["symbols", "after"], "a.py:1  function after  def after()");
}

#[cfg(target_os = "linux")]
#[test]
fn a_command_that_looked_at_many_files_leaves_a_watcher_that_ends_by_itself() {
    let tree = Sandbox::new(&[("a.py", "def first(): pass\n"), ("b.py", "other = 1\n")]);
    let watcher = || {
        let checks: serde_json::Value =
            serde_json::from_slice(&tree.run(&["doctor", "--quick", "--json"]).stdout).expect("JSON");
        let checks = checks["data"]["checks"].as_array().expect("a list").clone();
        let watched = checks.into_iter().find(|check| check["about"] == "watched")?;
        Some(watched["detail"].as_str().expect("text").to_owned())
    };
    let becomes = |there: bool| {
        let begun = std::time::Instant::now();
        while watcher().is_some() != there {
            assert!(begun.elapsed().as_secs() < 60, "watched: {:?}", watcher());
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    };
    assert!(tree.run(&["symbols", "first", "--set", "watch.min_files=3"]).status.success());
    assert!(tree.run(&["symbols", "first", "--set", "watch.min_files=0"]).status.success());
    assert_eq!(watcher(), None, "two files are looked at in no time");
    let many = ["--set", "watch.min_files=2", "--set", "watch.idle=3"];
    let ask = |name: &str| tree.run(&[["symbols", name].as_slice(), &many].concat());
    assert!(tree.run(&[["index"].as_slice(), &many].concat()).status.success());
    assert_eq!(watcher(), None, "`index` does not ask the daemon");
    // A reader of the command's output must not wait for the daemon.
    let line = format!("exec 3>&1; {} symbols first {}", env!("CARGO_BIN_EXE_orient"), many.join(" "));
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &line]).current_dir(tree.root()).env_clear();
    let plain = tree.command(&[]);
    shell.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    assert!(shell.output().expect("there is a shell").status.success());
    becomes(true);
    tree.write("a.py", "def second(): pass\n");
    assert!(
        text(&ask("second").stdout).starts_with("a.py:1  function second"),
        "what it says is as true as a look at the files"
    );
    becomes(false);
    assert!(ask("second").status.success());
    assert_eq!(watcher(), None, "one that ended is not called back at once");
}
