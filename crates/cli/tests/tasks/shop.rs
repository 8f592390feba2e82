//! A small git repository with its own store, and helpers that play an agent in it.

use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const FILES: &[(&str, &str)] = &[
    (
        "shop/upload.py",
        "def send(path):\n    \"\"\"Uploads a file.\"\"\"\n    data = read(path)\n    return push(data)\n\n\n\
         def read(path):\n    return open(path).read()\n\n\ndef push(data):\n    \"\"\"Sends the data of an upload.\"\"\"\n    return len(data)\n",
    ),
    (
        "shop/cli.py",
        "from shop.upload import send\n\n\ndef main():\n    \"\"\"Uploads what the user names.\"\"\"\n    send(\"x\")\n",
    ),
    (
        "shop/retry.py",
        "from shop.upload import push\n\n\ndef push_again(data):\n    \"\"\"Uploads again.\"\"\"\n    return push(data)\n",
    ),
    (
        "shop/menu.py",
        "# see shop/secret.py:1\ndef colours():\n    \"\"\"The colours of the menu.\"\"\"\n    return [\"red\"]\n",
    ),
    ("shop/secret.py", "def hidden():\n    return 42\n"),
    ("other/lonely.py", "def alone():\n    return 0\n"),
    (
        "tests/test_upload.py",
        "from shop.upload import send\n\n\ndef test_send():\n    assert send(\"a\") == 1\n",
    ),
    ("site/style.css", "body { color: red; }\n"),
];

pub(crate) const REQUEST: &str =
    "Uploads of empty files crash when the network is slow; they should be skipped";

/// The repository, and the client that asks.
pub(crate) struct Shop {
    directory: TempDir,
    pub(crate) client: &'static str,
}

impl Shop {
    pub(crate) fn new() -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let shop = Self { directory, client: "claude-code" };
        for (path, text) in FILES {
            shop.write(path, text);
        }
        orient_testkit::git(&shop.root(), &["init", "-q", "-b", "main"]);
        shop.commit("first");
        shop
    }

    /// Commits everything.
    pub(crate) fn commit(&self, message: &str) {
        orient_testkit::git(&self.root(), &["add", "-A"]);
        orient_testkit::git(&self.root(), &["commit", "-q", "-m", message]);
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().expect("it is there").join("tree")
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.directory.path().canonicalize().expect("it is there").join("store")
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root_or_create().join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    fn root_or_create(&self) -> PathBuf {
        let root = self.directory.path().join("tree");
        fs::create_dir_all(&root).expect("a directory");
        root
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_orient"));
        command.args(args).current_dir(self.root()).stdin(Stdio::null()).env_clear();
        command.env("HOME", self.directory.path().join("home")).env("ORIENT_STORE", self.store());
        command.env("ORIENT_CLIENT", self.client);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("the command starts")
    }

    /// Runs a command that succeeds.
    #[track_caller]
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let (out, error) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{args:?}\n{out}{error}");
        out
    }

    /// Runs a command that is refused; returns everything that it prints.
    #[track_caller]
    pub(crate) fn refused(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let all = text(&output.stdout) + &text(&output.stderr);
        assert!(!output.status.success(), "{args:?} was accepted\n{all}");
        all
    }

    pub(crate) fn phase(&self) -> String {
        let output = self.run(&["task", "status", "--json"]);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        answer["data"]["task"]["phase"].as_str().unwrap_or("none").to_owned()
    }

    pub(crate) fn start(&self) {
        self.ok(&["task", "start", "--intent", "modify", REQUEST]);
    }

    /// Reads what a change of the upload needs.
    pub(crate) fn explore(&self) {
        for args in [
            &["show", "shop/upload.py"][..],
            &["show", "send"],
            &["show", "push"],
            &["show", "main"],
            &["show", "push_again"],
            &["impact", "send", "push"],
        ] {
            self.ok(args);
        }
    }

    pub(crate) const UNDERSTOOD: &[&str] = &[
        "task",
        "submit",
        "--symbol",
        "send",
        "--symbol",
        "push",
        "--symbol",
        "push_again",
        "--entry-point",
        "main",
        "--file",
        "shop/upload.py",
        "--file",
        "shop/retry.py",
        "--pattern",
        "push_again",
    ];

    /// A task that may write the upload.
    pub(crate) fn ready(&self) {
        self.start();
        self.explore();
        self.ok(Self::UNDERSTOOD);
        assert_eq!(self.phase(), "ready");
    }

    /// Calls the guard as a hook; returns the exit code and everything that it prints.
    pub(crate) fn hook(&self, caller: &str, message: &str) -> (i32, String, String) {
        let mut child = self
            .command(&["guard", caller])
            .env_remove("ORIENT_CLIENT")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the guard starts");
        child.stdin.take().expect("a pipe").write_all(message.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
    }

    /// The message of Claude Code before or after a tool call.
    pub(crate) fn message(&self, event: &str, tool: &str, path: &str) -> String {
        let path = if path.starts_with('/') { PathBuf::from(path) } else { self.root().join(path) };
        json!({ "session_id": "s", "transcript_path": "/t.jsonl", "cwd": self.root(), "permission_mode": "default",
            "hook_event_name": event, "tool_name": tool, "tool_input": { "file_path": path }, "tool_use_id": "u" })
        .to_string()
    }

    /// Whether Claude Code may edit a file.
    pub(crate) fn may_edit(&self, path: &str) -> bool {
        let (code, ..) = self.hook("claude-code", &self.message("PreToolUse", "Edit", path));
        assert!(code == 0 || code == 2, "exit code {code}");
        code == 0
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
