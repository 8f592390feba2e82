//! `orient enrich`: nothing is started without consent, and answers change the graph until they are dropped.

use crate::sandbox::{Sandbox, text};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// A server in a shell: it says that every name is `Engine.go`, and leaves a trace when it is started.
const SERVER: &str = r#"#!/bin/sh
echo started >> "$HOME/started"
reply() { printf 'Content-Length: %d\r\n\r\n%s' "${#1}" "$1"; }
while IFS= read -r header; do
  length=$(printf %s "$header" | tr -dc 0-9)
  IFS= read -r empty
  body=$(dd bs=1 count="$length" 2>/dev/null)
  id=$(printf %s "$body" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$body" in
    *'"method":"initialize"'*)
      reply '{"id":'"$id"',"result":{"capabilities":{"definitionProvider":true},"serverInfo":{"version":"1.0.0"}}}' ;;
    *'"method":"textDocument/definition"'*)
      reply '{"id":'"$id"',"result":{"uri":"file://'"$PWD"'/b.py","range":{"start":{"line":1,"character":8}}}}' ;;
    *'"method":"shutdown"'*) reply '{"id":'"$id"',"result":null}' ;;
    *'"method":"exit"'*) exit 0 ;;
  esac
done
"#;

const FILES: &[(&str, &str)] = &[
    ("a.py", "def run(x):\n    x.go()\n"),
    (
        "b.py",
        "class Engine:\n    def go(self):\n        pass\n\n\nclass Other:\n    def go(self):\n        pass\n",
    ),
];

/// A repository whose user has a server for it.
fn tree() -> Sandbox {
    let tree = Sandbox::new(FILES);
    let program = program(&tree);
    tree.write("../home/bin/fake-server", SERVER);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let settings = format!("[enrich]\nservers = {{ python = '{}' }}\n", program.display());
    tree.write("../home/.config/orient/config.toml", settings);
    tree
}

fn program(tree: &Sandbox) -> PathBuf {
    tree.root().parent().expect("a directory").join("home/bin/fake-server")
}

fn is_started(tree: &Sandbox) -> bool {
    tree.root().join("../home/started").exists()
}

#[test]
fn nothing_is_started_before_the_user_allows_it() {
    let tree = tree();
    let evil = tree.root().join("evil");
    tree.write("evil", SERVER);
    std::fs::set_permissions(&evil, std::fs::Permissions::from_mode(0o755)).expect("executable");
    tree.write(
        ".orient.toml",
        format!("[enrich]\nservers = {{ python = '{}' }}\nlayer = false\n", evil.display()),
    );
    tree.write("enrich-allowed.toml", "root = '/'\n[[server]]\nname = 'fake-server'\n");
    let refused = tree.run(&["enrich"]);
    assert_eq!(refused.status.code(), Some(4));
    let said = text(&refused.stderr);
    assert!(said.contains("no language server is allowed") && said.contains("orient enrich allow"), "{said}");
    let status = tree.run(&["enrich", "status"]);
    let said = text(&status.stderr);
    assert!(said.contains("enrich.layer, enrich.servers are ignored"), "{said}");
    let status = text(&status.stdout);
    assert!(status.contains("fake-server") && status.contains("not allowed"), "{status}");
    for action in ["deny", "drop"] {
        assert_eq!(tree.run(&["enrich", action]).status.code(), Some(1), "{action}: there is nothing");
    }
    assert!(!is_started(&tree));
}

#[test]
fn an_allowed_server_adds_edges_and_turning_it_off_restores_the_graph() {
    let tree = tree();
    let before = text(&tree.run(&["dump"]).stdout);
    let allowed = text(&tree.run(&["enrich", "allow", "fake-server"]).stdout);
    assert!(allowed.contains("allowed") && allowed.contains("runs: unknown"), "{allowed}");
    let done = tree.json(&["enrich", "--json"]);
    let run = &done["data"]["runs"][0];
    assert_eq!(
        (&run["questions"], &run["answered"], &run["full"]),
        (&1.into(), &1.into(), &1.into()),
        "{done}"
    );
    assert!(is_started(&tree));
    let callers = text(&tree.run(&["callers", "Engine.go"]).stdout);
    assert!(callers.contains("a.py:2  function run  compiler"), "{callers}");
    let noted = tree.json(&["callers", "Engine.go", "--json"]);
    assert!(noted.to_string().contains("said by fake-server"), "{noted}");
    let audit = text(&tree.run(&["audit", "--layer"]).stdout);
    assert!(audit.contains("1 added") && audit.contains("said by fake-server"), "{audit}");
    let again = text(&tree.run(&["enrich"]).stdout);
    assert!(again.contains("nothing to ask"), "{again}");
    let off = tree.command(&["dump"]).env("ORIENT_ENRICH_LAYER", "false").output().expect("it runs");
    assert_eq!(text(&off.stdout), before, "turned off");
    assert_ne!(text(&tree.run(&["dump"]).stdout), before, "turned on again");
    tree.run(&["enrich", "drop"]);
    assert_eq!(text(&tree.run(&["dump"]).stdout), before, "dropped");
    tree.run(&["enrich", "deny"]);
    assert_eq!(tree.run(&["enrich"]).status.code(), Some(4), "denied");
}

#[test]
fn a_changed_program_must_be_allowed_again() {
    let tree = tree();
    tree.run(&["enrich", "allow"]);
    std::fs::write(program(&tree), format!("{SERVER}\n# newer\n")).expect("written");
    let refused = tree.run(&["enrich"]);
    assert_eq!(refused.status.code(), Some(4));
    let said = text(&refused.stderr);
    assert!(said.contains("is not what was allowed: the program has changed"), "{said}");
    assert!(!is_started(&tree));
}

#[test]
fn a_repository_may_exclude_a_server_and_a_missing_one_is_named() {
    let tree = tree();
    tree.write(".orient.toml", "[enrich]\nexclude = ['fake-server']\n");
    tree.run(&["enrich", "allow"]);
    let status = tree.json(&["enrich", "status", "--json"]);
    assert_eq!(status["data"]["servers"][0]["state"], "excluded", "{status}");
    let without = Sandbox::new(FILES);
    let refused = without.command(&["enrich", "allow", "pyright"]).env("PATH", "/nowhere").output();
    let refused = refused.expect("it runs");
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    assert!(said.contains("pyright-langserver is not installed") && said.contains("npm install"), "{said}");
    let unknown = without.run(&["enrich", "allow", "nobody"]);
    assert!(text(&unknown.stderr).contains("known servers: clangd, "), "{}", text(&unknown.stderr));
}

/// A watcher, ended when dropped.
pub(crate) struct Watching(std::process::Child);

impl Watching {
    pub(crate) fn start(tree: &Sandbox) -> Self {
        let mut command = tree.command(&["watch", "--json"]);
        Self(command.stdout(std::process::Stdio::null()).spawn().expect("it starts"))
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until `status` shows an activity of the background; returns the reason.
pub(crate) fn wait_for(tree: &Sandbox, activity: &str) -> String {
    let until = std::time::Instant::now() + std::time::Duration::from_mins(1);
    loop {
        let status = tree.json(&["status", "--json"]);
        let state = &status["data"]["language_servers"];
        if state["activity"] == activity {
            return state["reason"].as_str().expect("a text").to_owned();
        }
        assert!(std::time::Instant::now() < until, "{state}");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
}

#[test]
fn a_server_asks_in_the_background_once_it_is_allowed_until_it_is_turned_off() {
    let tree = tree();
    let before = text(&tree.run(&["dump"]).stdout);
    wait_for(&tree, "not_allowed");
    let watching = Watching::start(&tree);
    tree.run(&["enrich", "allow"]);
    assert_eq!(wait_for(&tree, "up_to_date"), "1 of 1 question answered");
    let callers = text(&tree.run(&["callers", "Engine.go"]).stdout);
    assert!(callers.contains("a.py:2  function run  compiler"), "{callers}");
    drop(watching);
    wait_for(&tree, "not_running");
    tree.run(&["enrich", "drop"]);
    assert_eq!(text(&tree.run(&["dump"]).stdout), before, "dropped");
    let off = tree.command(&["status", "--json"]).env("ORIENT_ENRICH_BACKGROUND", "false").output();
    let off = text(&off.expect("it runs").stdout);
    assert!(off.contains("turned off by the setting enrich.background"), "{off}");
}

#[test]
fn a_server_that_fails_in_the_background_is_named_with_the_reason() {
    let tree = tree();
    std::fs::write(program(&tree), "#!/bin/sh\necho broken >&2\nexit 3\n").expect("written");
    tree.run(&["enrich", "allow"]);
    let _watching = Watching::start(&tree);
    let reason = wait_for(&tree, "failed");
    assert!(reason.starts_with("fake-server") && reason.contains("broken"), "{reason}");
}
