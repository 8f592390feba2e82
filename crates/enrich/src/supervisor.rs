//! The life of a server: it is started when it is first asked, checked against what was allowed, started again after a failure with growing pauses,
//! and ended when it is idle or the run ends.

use crate::child_process::ChildGroup;
use crate::connection::{Connection, WaitError};
use crate::consent::{Permission, short_version};
use crate::environment::inherited;
use crate::location::uri_of;
use crate::message::plain_line;
use crate::server_replies::workspace;
use orient_model::ServiceError;
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

/// The limits of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time for the questions about a file.
    pub file: Duration,
    /// Time to start and to load the project.
    pub project: Duration,
    /// Time without a question after which it is ended.
    pub idle: Duration,
    /// Memory of the server with everything it starts, in bytes.
    pub memory: u64,
    /// Number of questions that may wait for an answer; further ones wait here.
    pub queue: usize,
    /// How often it is started again.
    pub restarts: u32,
    /// The pause before it is started again; each further one is twice as long.
    pub backoff: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file: Duration::from_secs(30),
            project: Duration::from_mins(2),
            idle: Duration::from_mins(15),
            memory: 2 << 30,
            queue: 64,
            restarts: 3,
            backoff: Duration::from_secs(1),
        }
    }
}

/// How long a server may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why a server does not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) error: ServiceError,
    pub(crate) detail: String,
}

impl Failure {
    pub(crate) fn new(error: ServiceError, detail: impl Into<String>) -> Self {
        Self { error, detail: detail.into() }
    }
}

/// Why there is no server to ask.
#[derive(Debug)]
pub(crate) enum StartError {
    /// The user stopped the run.
    Cancelled,
    /// It failed, and will not be started again in this run.
    GivenUp(Failure),
}

/// Starts and ends one server.
pub(crate) struct Supervisor<'r> {
    permission: &'r Permission,
    limits: &'r Limits,
    cancelled: &'r dyn Fn() -> bool,
    running: Option<Connection>,
    given_up: Option<Failure>,
    /// How often it was started again after a failure.
    pub(crate) restarts: u32,
    /// The most memory that it was seen to use.
    pub(crate) peak_memory: u64,
}

impl<'r> Supervisor<'r> {
    pub(crate) fn new(
        permission: &'r Permission,
        limits: &'r Limits,
        cancelled: &'r dyn Fn() -> bool,
    ) -> Self {
        Self { permission, limits, cancelled, running: None, given_up: None, restarts: 0, peak_memory: 0 }
    }

    /// The running server, and whether it was started just now.
    pub(crate) fn connection(&mut self) -> Result<(&mut Connection, bool), StartError> {
        if let Some(failure) = &self.given_up {
            return Err(StartError::GivenUp(failure.clone()));
        }
        if self.running.as_ref().is_some_and(Connection::was_idle) {
            self.close();
        }
        let is_new = self.running.is_none();
        while self.running.is_none() {
            match self.start() {
                Ok(connection) => self.running = Some(connection),
                Err(WaitError::Cancelled) => return Err(StartError::Cancelled),
                Err(WaitError::Ended(failure)) if failure.error != ServiceError::ProjectLoadFailed => {
                    self.failed(failure)?;
                }
                Err(WaitError::Ended(failure)) => return Err(self.give_up(failure)),
                Err(WaitError::Timeout) => {
                    let detail =
                        format!("it did not load the project in {} s", self.limits.project.as_secs());
                    return Err(self.give_up(Failure::new(ServiceError::Timeout, detail)));
                }
            }
        }
        match &mut self.running {
            Some(connection) => Ok((connection, is_new)),
            None => Err(StartError::Cancelled),
        }
    }

    /// The server failed: waits before it is started again, or gives it up.
    pub(crate) fn failed(&mut self, failure: Failure) -> Result<(), StartError> {
        self.close();
        if self.restarts >= self.limits.restarts {
            return Err(self.give_up(failure));
        }
        let pause = self.limits.backoff * 2_u32.saturating_pow(self.restarts);
        self.restarts += 1;
        let until = Instant::now() + pause;
        while Instant::now() < until {
            if (self.cancelled)() {
                return Err(StartError::Cancelled);
            }
            std::thread::sleep(Duration::from_millis(20).min(pause));
        }
        Ok(())
    }

    fn give_up(&mut self, failure: Failure) -> StartError {
        self.close();
        self.given_up = Some(failure.clone());
        StartError::GivenUp(failure)
    }

    /// Ends the server at once.
    fn close(&mut self) {
        if let Some(connection) = self.running.take() {
            self.peak_memory = self.peak_memory.max(connection.peak_memory());
        }
    }

    /// Ends the server at the end of a run, politely unless the user stopped the run.
    pub(crate) fn shut_down(&mut self) {
        if let Some(connection) = self.running.take() {
            self.peak_memory = self.peak_memory.max(connection.peak_memory());
            if !(self.cancelled)() {
                connection.shut_down(PATIENCE);
            }
        }
    }

    /// Starts the server and waits until it has loaded the project.
    fn start(&self) -> Result<Connection, WaitError> {
        let Permission { server, program, root, .. } = self.permission;
        let deadline = Instant::now() + self.limits.project;
        let mut command = Command::new(&program.path);
        command.args(&server.args).current_dir(root).env_clear();
        command.envs(inherited(root, &|name| std::env::var_os(name))).envs(&server.environment);
        let (group, pipes) = ChildGroup::start(&mut command).map_err(|error| {
            let detail = format!("it cannot be started: {error}");
            WaitError::Ended(Failure::new(ServiceError::SemanticUnavailable, detail))
        })?;
        let mut connection = Connection::new(group, pipes, server, root, self.limits);
        self.initialize(&mut connection, deadline)?;
        if server.ready.is_some() {
            while !connection.state.is_ready && !connection.state.is_broken {
                connection.wait(deadline, self.cancelled, |state| state.is_ready || state.is_broken)?;
            }
        }
        if connection.state.is_broken {
            let detail =
                connection.state.error.clone().unwrap_or_else(|| "it cannot load the project".to_owned());
            return Err(WaitError::Ended(Failure::new(ServiceError::ProjectLoadFailed, detail)));
        }
        Ok(connection)
    }

    /// The handshake.
    fn initialize(&self, connection: &mut Connection, deadline: Instant) -> Result<(), WaitError> {
        let id = connection.ask("initialize", &self.parameters(), deadline, self.cancelled)?;
        let answer = loop {
            let (answered, result) = connection.response(deadline, self.cancelled)?;
            if answered == id {
                break result;
            }
        };
        let refused = |error, detail: String| Err(WaitError::Ended(Failure::new(error, detail)));
        let answer = match answer {
            Ok(answer) => answer,
            Err((_, message)) => {
                return refused(ServiceError::ProjectLoadFailed, plain_line(&message));
            }
        };
        let told = answer.pointer("/serverInfo/version").and_then(Value::as_str).unwrap_or_default();
        let allowed = short_version(&self.permission.version);
        if !allowed.is_empty() && told.contains(|c: char| c.is_ascii_digit()) && !told.contains(allowed) {
            let detail = format!("it says it is version {}, allowed was {allowed}", plain_line(told));
            return refused(ServiceError::SemanticUnavailable, detail);
        }
        let capability = |name: &str| {
            let provides = answer.pointer(&format!("/capabilities/{name}")).unwrap_or(&Value::Null);
            !matches!(provides, Value::Null | Value::Bool(false))
        };
        if !capability("definitionProvider") {
            return refused(ServiceError::SemanticUnavailable, "it does not know definitions".to_owned());
        }
        connection.state.knows_implementations = capability("implementationProvider");
        let encoding = answer.pointer("/capabilities/positionEncoding").and_then(Value::as_str);
        connection.state.in_bytes = encoding == Some("utf-8");
        connection.tell("initialized", &json!({}), deadline, self.cancelled)?;
        let settings = &self.permission.server.configuration;
        if !settings.is_null() {
            let settings = json!({ "settings": settings });
            connection.tell("workspace/didChangeConfiguration", &settings, deadline, self.cancelled)?;
        }
        Ok(())
    }

    fn parameters(&self) -> Value {
        let Permission { server, program, root, .. } = self.permission;
        let link = json!({ "linkSupport": true });
        json!({
            "processId": std::process::id(),
            "clientInfo": { "name": "orient", "version": env!("CARGO_PKG_VERSION") },
            "rootUri": uri_of(root),
            "rootPath": root.to_string_lossy(),
            "workspaceFolders": workspace(root),
            "initializationOptions": server.options(&program.files),
            "capabilities": {
                "general": { "positionEncodings": ["utf-8", "utf-16"] },
                "textDocument": { "definition": link, "implementation": link, "synchronization": {} },
                "workspace": { "configuration": true, "workspaceFolders": true, "didChangeConfiguration": {} },
                "window": { "workDoneProgress": true },
                "experimental": { "serverStatusNotification": true },
            },
        })
    }
}
