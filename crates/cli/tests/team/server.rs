//! A team with its database, its repositories, workers and nodes, all as real processes.

use crate::database::TestDatabase;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
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

    /// A team with a database server of its own, which may be killed.
    pub(crate) fn with_own_server() -> Option<Self> {
        let database = TestDatabase::on_own_server()?;
        let team = Self { database, directory: TempDir::new().expect("a directory") };
        team.succeeds(&["init"]);
        Some(team)
    }

    /// A team whose database is in a file system of this size; `None` where none can be mounted.
    pub(crate) fn with_small_disk(bytes: u64) -> Option<Self> {
        let database = TestDatabase::on_small_disk(bytes)?;
        let team = Self { database, directory: TempDir::new().expect("a directory") };
        team.succeeds(&["init"]);
        Some(team)
    }

    /// The same team with a copy of the database, and no files.
    pub(crate) fn copy(&self) -> Self {
        let database = self.database.copy();
        Self { database, directory: TempDir::new().expect("a directory") }
    }

    /// A command of the program, away from the user's files.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let program =
            std::env::var_os("ORIENT_TEAM_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_orient").into());
        let mut command = Command::new(program);
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

    /// A clone of a repository beside it; returns its path.
    pub(crate) fn clone_of(&self, name: &str, clone: &str) -> PathBuf {
        let (from, to) = (self.path(name), self.path(clone));
        let paths = [&from, &to].map(|path| path.to_str().expect("a name"));
        self.git(name, &["clone", "--quiet", paths[0], paths[1]]);
        to
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

    /// A token that may read another repository only.
    pub(crate) fn token_without_repositories(&self) -> String {
        self.publish("another", &[("a.py", "def another():\n    return 1\n")]);
        self.token(&["another"])
    }

    /// Starts a node.
    pub(crate) fn serve(&self) -> NodeProcess {
        self.serve_with(&self.directory.path().join("data"))
    }

    /// Starts a node with more options.
    pub(crate) fn serve_more(&self, options: &[&str]) -> NodeProcess {
        self.start_node(&self.directory.path().join("data"), options)
    }

    /// Starts a node with a data directory of its own.
    pub(crate) fn serve_with(&self, data: &Path) -> NodeProcess {
        self.start_node(data, &[])
    }

    fn start_node(&self, data: &Path, options: &[&str]) -> NodeProcess {
        let listen: &[&str] = if options.contains(&"--listen") { &[] } else { &["--listen", "127.0.0.1:0"] };
        // On a busy machine, a first answer may have to wait for several indexes.
        let wait: &[&str] = if options.contains(&"--wait") { &[] } else { &["--wait", "60"] };
        let mut command = self.command(&[&["team", "serve"], listen, wait, options].concat());
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
    /// A node that was started in another way.
    pub(crate) fn of(child: Child, address: String) -> Self {
        Self { child, address }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Sends a request; returns the status and the body.
    pub(crate) fn request(&self, method: &str, path: &str, token: Option<&str>, body: &str) -> (u16, String) {
        let (status, _, body) = self.request_with_head(method, path, token, body);
        (status, body)
    }

    /// Sends a request; returns the status, the head and the body.
    pub(crate) fn request_with_head(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        body: &str,
    ) -> (u16, String, String) {
        let authorization = token.map_or_else(String::new, |token| format!("Authorization: Bearer {token}"));
        request(&self.address, method, path, &authorization, body).expect("it answers")
    }

    /// Sends a request with a header; returns the status and the body.
    pub(crate) fn request_with(&self, method: &str, path: &str, header: &str, body: &str) -> (u16, String) {
        let (status, _, body) = request(&self.address, method, path, header, body).expect("it answers");
        (status, body)
    }

    /// Kills it at once (SIGKILL).
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Stops or continues its threads.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().expect("it runs").success());
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

/// Sends a request to a server that may be gone; returns the status, the head and the body.
pub(crate) fn request(
    address: &str,
    method: &str,
    path: &str,
    header: &str,
    body: &str,
) -> std::io::Result<(u16, String, String)> {
    let accept =
        if header.contains("Accept: ") { "" } else { "Accept: application/json, text/event-stream\r\n" };
    let header = if header.is_empty() { String::new() } else { format!("{header}\r\n") };
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         {accept}{header}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(request.as_bytes())?;
    let mut all = String::new();
    stream.read_to_string(&mut all)?;
    let (head, body) = all.split_once("\r\n\r\n").ok_or(std::io::ErrorKind::UnexpectedEof)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    Ok((status.ok_or(std::io::ErrorKind::InvalidData)?, head.to_owned(), body.to_owned()))
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
