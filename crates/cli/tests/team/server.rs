//! A team with its database, its repositories, workers and nodes, all as real processes.

use crate::database::TestDatabase;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Generous timeout for a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A team.
pub(crate) struct Team {
    pub(crate) database: TestDatabase,
    directory: TempDir,
}

/// A node; killed when it is dropped.
pub(crate) struct NodeProcess {
    child: Child,
    address: String,
}

/// Starts a test with a team; without Python, the test is skipped.
macro_rules! team {
    () => {
        match crate::server::Team::new() {
            Some(team) => team,
            None => return,
        }
    };
}
pub(crate) use team;

impl Team {
    pub(crate) fn new() -> Option<Self> {
        let team = Self { database: TestDatabase::new()?, directory: TempDir::new().expect("a directory") };
        team.succeeds(&["init"]);
        Some(team)
    }

    /// A command of the program, away from the user's files.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_orient"));
        let home = self.directory.path().join("home");
        std::fs::create_dir_all(&home).expect("a directory");
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env("HOME", &home)
            .env("XDG_CACHE_HOME", home.join("cache"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("ORIENT_TEAM_DATABASE", &self.database.address)
            .env("ORIENT_TEAM_DATA", self.directory.path().join("data"));
        command
    }

    /// Runs `orient team`.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(&[&["team"], arguments].concat()).output().expect("it runs")
    }

    /// Runs `orient team` and returns what it prints.
    pub(crate) fn succeeds(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (out, errors) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "orient team {arguments:?}: {out}{errors}");
        out.trim().to_owned()
    }

    /// The path of a repository.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("repositories").join(name)
    }

    fn git(&self, name: &str, arguments: &[&str]) {
        let identity =
            ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "init.defaultBranch=main"];
        let run = Command::new("git").args(identity).args(arguments).current_dir(self.path(name)).output();
        let run = run.expect("git runs");
        assert!(run.status.success(), "git {arguments:?}: {}", text(&run.stderr));
    }

    /// Writes files of a repository and commits them; the repository is created if missing.
    pub(crate) fn commit(&self, name: &str, files: &[(&str, &str)]) {
        let root = self.path(name);
        if !root.join(".git").exists() {
            std::fs::create_dir_all(&root).expect("a directory");
            self.git(name, &["init", "--quiet"]);
        }
        for (path, content) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            std::fs::write(path, content).expect("a file");
        }
        self.git(name, &["add", "--all"]);
        self.git(name, &["commit", "--quiet", "--message", "change"]);
    }

    /// Starts a branch at the current commit and switches to it.
    pub(crate) fn branch(&self, name: &str, branch: &str) {
        self.git(name, &["switch", "--quiet", "--create", branch]);
    }

    /// Commits files, adds the repository and indexes it.
    pub(crate) fn publish(&self, name: &str, files: &[(&str, &str)]) {
        self.commit(name, files);
        let path = self.path(name);
        self.succeeds(&["add", path.to_str().expect("a name"), "--name", name]);
        self.work();
    }

    /// Asks for a comparison with the source, and works.
    pub(crate) fn update(&self, name: &str) {
        self.succeeds(&["reindex", name]);
        self.work();
    }

    /// Works until there is nothing to do; returns the lines of the worker.
    pub(crate) fn work(&self) -> String {
        self.succeeds(&["worker", "--until-idle", "--lease", "3"])
    }

    /// The directories of the indexes that workers and nodes with the common data directory have.
    pub(crate) fn indexed_trees(&self) -> Vec<PathBuf> {
        let directories = |path: &Path| -> Vec<PathBuf> {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
        };
        let store = self.directory.path().join("data/store");
        let trees = directories(&store).into_iter().flat_map(|repository| directories(&repository));
        trees.filter(|tree| tree.join("tree").exists()).collect()
    }

    /// The number of manifests in the common data directory.
    pub(crate) fn manifests(&self) -> usize {
        let directory = self.directory.path().join("data/manifests");
        let repositories = std::fs::read_dir(directory).into_iter().flatten().flatten();
        repositories.map(|entry| std::fs::read_dir(entry.path()).into_iter().flatten().count()).sum()
    }

    /// A token for some repositories.
    pub(crate) fn token(&self, repositories: &[&str]) -> String {
        let mut arguments = vec!["tokens", "create", "test"];
        for repository in repositories {
            arguments.extend(["--repository", repository]);
        }
        self.succeeds(&arguments)
    }

    /// Starts a node.
    pub(crate) fn serve(&self) -> NodeProcess {
        self.serve_with(&self.directory.path().join("data"))
    }

    /// Starts a node with a data directory of its own.
    pub(crate) fn serve_with(&self, data: &Path) -> NodeProcess {
        let mut command = self.command(&["team", "serve", "--listen", "127.0.0.1:0"]);
        command.env("ORIENT_TEAM_DATA", data);
        let (child, address) = orient_testkit::start_server(&mut command);
        NodeProcess { child, address }
    }

    /// The data of a command's answer in a checkout.
    pub(crate) fn local(&self, name: &str, arguments: &[&str]) -> Value {
        let root = self.path(name);
        let root = ["--root", root.to_str().expect("a name"), "--json"];
        let output = self.command(&[&root, arguments].concat()).output().expect("it runs");
        let mut values: Vec<Value> = serde_json::Deserializer::from_slice(&output.stdout)
            .into_iter()
            .collect::<Result<_, _>>()
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", text(&output.stderr)));
        // A long list is printed as JSON lines, without the rest of the answer.
        let is_answer = values.len() == 1 && values[0]["data"] != Value::Null;
        if is_answer { values.remove(0)["data"].take() } else { Value::Array(values) }
    }
}

impl NodeProcess {
    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Sends a request; returns the status and the body.
    pub(crate) fn request(&self, method: &str, path: &str, token: Option<&str>, body: &str) -> (u16, String) {
        let authorization =
            token.map_or_else(String::new, |token| format!("Authorization: Bearer {token}\r\n"));
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{authorization}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut all = String::new();
        stream.read_to_string(&mut all).expect("a response");
        let (head, body) = all.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, body.to_owned())
    }

    /// Asks about one repository, or about all.
    pub(crate) fn call(
        &self,
        token: &str,
        operation: &str,
        repository: Option<&str>,
        arguments: &Value,
    ) -> (u16, Value) {
        let question = json!({ "operation": operation, "repository": repository, "arguments": arguments });
        let (status, body) = self.request("POST", "/v1/call", Some(token), &question.to_string());
        (status, serde_json::from_str(&body).unwrap_or(Value::String(body)))
    }

    /// The data of an answer.
    pub(crate) fn data(
        &self,
        token: &str,
        operation: &str,
        repository: Option<&str>,
        arguments: &Value,
    ) -> Value {
        let (status, answer) = self.call(token, operation, repository, arguments);
        assert_eq!(status, 200, "{operation} {arguments}: {answer}");
        answer["answer"]["data"].clone()
    }
}

impl Drop for NodeProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
