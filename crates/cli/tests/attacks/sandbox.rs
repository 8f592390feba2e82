//! A sandbox for attacks: a repository, a home directory, and files outside of both that must not change.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Where the store is in an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    /// The default: in the home directory.
    Default,
    /// Inside the repository, chosen by the user with `ORIENT_STORE`.
    Inside,
    /// In a separate directory, chosen by the user with `ORIENT_STORE`.
    Apart,
}

/// The mode and the content of a file.
type FileSnapshot = (u32, Vec<u8>);

/// The temporary directory with everything.
pub(crate) struct Sandbox {
    directory: TempDir,
    store: Store,
    before: BTreeMap<PathBuf, FileSnapshot>,
}

/// The output of a command or a tool call.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) ok: bool,
    /// Whether a signal ended it, or the time or memory that it may take.
    pub(crate) is_killed: bool,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Sandbox {
    /// A small repository, and outside of it a file of 28,000 bytes and a directory.
    pub(crate) fn new(store: Store) -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        for name in ["tree", "home", "outside/directory"] {
            fs::create_dir_all(directory.path().join(name)).expect("a new directory");
        }
        fs::write(directory.path().join("outside/victim"), "x".repeat(28_000)).expect("a new file");
        fs::write(directory.path().join("outside/directory/victim"), "mine").expect("a new file");
        let mut sandbox = Self { directory, store, before: BTreeMap::new() };
        sandbox.write("cart.py", "def total(items):\n    return sum(items)\n");
        sandbox.before = sandbox.outside();
        sandbox
    }

    fn top(&self) -> PathBuf {
        self.directory.path().canonicalize().expect("it is there")
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.top().join("tree")
    }

    /// A file that must not change.
    pub(crate) fn victim(&self) -> PathBuf {
        self.top().join("outside/victim")
    }

    /// A directory that must not change.
    pub(crate) fn victim_directory(&self) -> PathBuf {
        self.top().join("outside/directory")
    }

    /// A path that does not exist and must not be created.
    pub(crate) fn nothing(&self) -> PathBuf {
        self.top().join("outside/nothing")
    }

    pub(crate) fn store(&self) -> PathBuf {
        match self.store {
            Store::Default => self.top().join("home/.cache/orient"),
            Store::Inside => self.root().join("inside"),
            Store::Apart => self.top().join("store"),
        }
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        fs::write(self.root().join(path), text).expect("a file");
    }

    /// The directories of the repository and of the tree in the store, which depend on the paths alone.
    pub(crate) fn directories(&self) -> (PathBuf, PathBuf) {
        let output = self.run(&["status", "--json"]);
        let status: Value =
            serde_json::from_str(&output.out).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        let tree = PathBuf::from(status["data"]["store"].as_str().expect("a path"));
        (tree.parent().expect("it has one").to_owned(), tree)
    }

    fn environment(&self, command: &mut Command) {
        command.current_dir(self.root()).env_clear().env("HOME", self.top().join("home"));
        if self.store != Store::Default {
            command.env("ORIENT_STORE", self.store());
        }
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
    }

    /// Runs the command in the repository.
    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.run_in("exec \"$@\"", arguments)
    }

    /// Runs the command from a line of shell, in which `"$@"` is the command.
    pub(crate) fn run_in(&self, shell: &str, arguments: &[&str]) -> CommandOutput {
        let mut command = Command::new("sh");
        command.args(["-c", shell, "sh", env!("CARGO_BIN_EXE_orient")]).args(arguments);
        self.environment(&mut command);
        command_output(&command.stdin(Stdio::null()).output().expect("the command starts"))
    }

    /// Starts a server and calls a tool immediately.
    pub(crate) fn agent(&self) -> CommandOutput {
        self.agent_in("exec \"$@\"")
    }

    /// The same from a line of shell.
    pub(crate) fn agent_in(&self, shell: &str) -> CommandOutput {
        let mut command = Command::new("sh");
        command.args(["-c", shell, "sh", env!("CARGO_BIN_EXE_orient"), "mcp"]);
        self.environment(&mut command);
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut input = server.stdin.take().expect("it is piped");
        let mut lines = BufReader::new(server.stdout.take().expect("it is piped")).lines();
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let asked = json!({ "name": "search", "arguments": { "query": "total" } });
        let messages = [
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": asked }),
        ];
        for message in messages {
            writeln!(input, "{message}").expect("it listens");
        }
        let answer = lines
            .by_ref()
            .map_while(Result::ok)
            .filter_map(|line| serde_json::from_str::<Value>(&line).ok())
            .find(|message| message["id"] == 2)
            .unwrap_or_default();
        drop(input);
        lines.for_each(drop);
        let _ = server.wait();
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        CommandOutput {
            ok: !text.is_empty() && result["isError"] != true,
            is_killed: false,
            out: text,
            err: answer.to_string(),
        }
    }

    /// Indexes, queries, follows changes, calls a tool, collects garbage. Every answer must be correct.
    pub(crate) fn run_everything(&self) -> Vec<CommandOutput> {
        let mut all = vec![self.run(&["index"])];
        assert!(all[0].ok, "{:?}", all[0]);
        for round in 0..2 {
            let name = format!("added_{round}");
            self.write("new.py", &format!("def {name}(): pass\n"));
            let found = self.run(&["symbols", &name]);
            assert!(found.ok && found.out.contains(&name), "{found:?}");
            all.push(found);
        }
        let answer = self.agent();
        assert!(answer.ok && answer.out.contains("def total"), "{answer:?}");
        all.push(answer);
        all.push(self.run(&["doctor", "--quick"]));
        all.push(self.run(&["gc"]));
        self.assert_unharmed();
        all
    }

    /// Checks that nothing outside was changed, created or removed.
    #[track_caller]
    pub(crate) fn assert_unharmed(&self) {
        let after = self.outside();
        let paths = |all: &BTreeMap<PathBuf, FileSnapshot>| all.keys().cloned().collect::<Vec<_>>();
        assert_eq!(paths(&after), paths(&self.before), "what is outside");
        for (path, known) in &self.before {
            assert!(after[path] == *known, "{} was changed", path.display());
        }
    }

    fn outside(&self) -> BTreeMap<PathBuf, FileSnapshot> {
        let mut found = BTreeMap::new();
        walk(&self.top().join("outside"), &mut |path, metadata| {
            let bytes = if metadata.is_file() { fs::read(path).expect("readable") } else { Vec::new() };
            found.insert(path.to_owned(), (metadata.mode(), bytes));
        });
        found
    }

    /// Checks that no other user can access the store.
    #[track_caller]
    pub(crate) fn assert_private(&self) {
        let mut count = 0;
        walk(&self.store(), &mut |path, metadata| {
            let (mode, kind) = (metadata.permissions().mode() & 0o7777, metadata.file_type());
            let wanted = if kind.is_dir() { 0o700 } else { 0o600 };
            assert!(kind.is_dir() || kind.is_file() || kind.is_socket(), "{} is odd", path.display());
            assert_eq!(mode, wanted, "{} has mode {mode:o}", path.display());
            count += 1;
        });
        assert!(count > 5, "there is a store with something in it");
    }
}

fn walk(path: &Path, each: &mut impl FnMut(&Path, &fs::Metadata)) {
    let metadata = path.symlink_metadata().expect("it is there");
    each(path, &metadata);
    if metadata.is_dir() {
        for entry in fs::read_dir(path).expect("readable").flatten() {
            walk(&entry.path(), each);
        }
    }
}

fn command_output(output: &Output) -> CommandOutput {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    // `timeout -s KILL` and a shell report a signal as 128 and its number.
    let is_killed = output.status.code().is_none_or(|code| code > 128 || code == 124);
    CommandOutput {
        ok: output.status.success(),
        is_killed,
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}
