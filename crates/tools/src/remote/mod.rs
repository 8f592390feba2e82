//! Remote mode: a team server answers about all other repositories, while the answer for this one is computed here.
//!
//! Only the question is sent, and what identifies the repository, so that the server leaves it out. If the server does not answer in time, the
//! local answer stands, with a warning. A process that goes on then answers at once, without the server, and tries in the background
//! whether it is back.

pub(crate) mod own_repository;
pub(crate) mod published_facts;

use crate::agent::tool_calls::ToolCall;
use crate::operation::{Operation, REVISION};
use crate::session::Session;
use crate::text::writer::{Style, TextWriter};
use orient_providers::{TeamServer, TeamServerError};
use orient_settings::Settings;
use own_repository::identify;
use serde_json::{Value, json};
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long the server may take, counted from the question.
const DEADLINE: Duration = Duration::from_secs(2);
/// How soon a server that does not answer is tried again, at first and at most.
const RETRY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(8));

/// The team server that the user's settings name.
pub struct RemoteServer {
    /// The server, or why there is none that can be asked.
    server: Result<TeamServer, String>,
    address: String,
    roots: Vec<PathBuf>,
    /// Why the server was not reachable when it was last asked; it is being tried in the background.
    failure: Mutex<Option<String>>,
}

/// What a question is made of.
pub enum RemoteWords {
    /// The words of a command line, without global flags, and whether the answer is the JSON form.
    Typed(Vec<String>, bool),
    /// The arguments of the operation.
    Arguments(Value),
}

/// A question that was sent.
pub struct RemoteQuestion {
    server: Arc<RemoteServer>,
    asked: Instant,
    answer: Receiver<Result<Vec<u8>, TeamServerError>>,
}

/// What the server says.
pub struct RemoteAnswer {
    /// The address of the server.
    pub address: String,
    /// Its response: the text or the JSON form, as it was asked for.
    pub response: Value,
}

/// The client of a server, with the user's token. Opens no connection yet.
fn team_server(settings: &Settings, address: &str) -> Result<TeamServer, String> {
    let file = settings.remote.token_file.as_deref().and_then(|file| std::fs::read_to_string(file).ok());
    TeamServer::new(address, file.as_deref(), &|name| std::env::var(name).ok())
}

impl RemoteServer {
    /// The server that the settings of a command name, if they do.
    pub fn of_session(session: &Session<'_>) -> Option<Arc<Self>> {
        let roots = session.roots().iter().map(|session| session.root().to_owned()).collect();
        Self::new(&session.loaded().settings, roots)
    }

    /// The server that settings name, if they do; `roots` are answered for on this machine.
    pub fn new(settings: &Settings, roots: Vec<PathBuf>) -> Option<Arc<Self>> {
        let address = settings.remote.url.clone()?;
        let server = team_server(settings, &address);
        Some(Arc::new(Self { server, address, roots, failure: Mutex::default() }))
    }

    /// Sends a question about names, text or uses. The error is a warning.
    pub fn ask(
        self: &Arc<Self>,
        operation: &Operation,
        words: RemoteWords,
    ) -> Result<RemoteQuestion, String> {
        let asked = Instant::now();
        if let Err(reason) = &self.server {
            return Err(self.warning(reason));
        }
        if let Some(reason) = &*self.lock() {
            return Err(self.warning(reason));
        }
        let mut question = match words {
            RemoteWords::Typed(words, true) => json!({ "words": words, "structured": true }),
            RemoteWords::Typed(words, false) => json!({ "words": words }),
            RemoteWords::Arguments(arguments) => json!({ "arguments": arguments, "text": true }),
        };
        question["operation"] = json!(operation.name);
        let (sender, answer) = channel();
        let server = self.clone();
        // The thread ends with the process if nobody waits for it.
        let spawned = std::thread::Builder::new().name("remote".to_owned()).spawn(move || {
            let own: Vec<String> = server.roots.iter().flat_map(|root| identify(root)).collect();
            question["own"] = json!(own);
            let _ = sender.send(server.send(&question));
        });
        match spawned {
            Ok(_) => Ok(RemoteQuestion { server: self.clone(), asked, answer }),
            Err(error) => Err(self.warning(&error.to_string())),
        }
    }

    /// Sends the question of a tool call; `None` if it is about this machine only: about a revision, or the rest of a list.
    pub fn ask_call(
        self: &Arc<Self>,
        call: &ToolCall,
        after: Option<&str>,
    ) -> Option<Result<RemoteQuestion, String>> {
        let operation = call.table_entry();
        let is_local = after.is_some() || call.arguments.get(REVISION).is_some();
        (operation.across && !is_local)
            .then(|| self.ask(operation, RemoteWords::Arguments(call.arguments.clone())))
    }

    fn send(self: &Arc<Self>, question: &Value) -> Result<Vec<u8>, TeamServerError> {
        let server = self.server.as_ref().map_err(|reason| TeamServerError::Refused(reason.clone()))?;
        let answered = server.ask(question.to_string().as_bytes(), DEADLINE);
        if let Err(TeamServerError::Unreachable(reason)) = &answered {
            self.retry_later(reason);
        }
        answered
    }

    /// Remembers that the server does not answer, until it says that it does.
    fn retry_later(self: &Arc<Self>, reason: &str) {
        if self.lock().replace(reason.to_owned()).is_some() {
            return;
        }
        let server = Arc::downgrade(self);
        let retry = move || {
            let mut wait = RETRY.0;
            loop {
                std::thread::sleep(wait);
                let Some(server) = server.upgrade() else { return };
                if server.server.as_ref().is_ok_and(|server| server.is_ready(DEADLINE)) {
                    *server.lock() = None;
                    return;
                }
                wait = (wait * 2).min(RETRY.1);
            }
        };
        if std::thread::Builder::new().name("remote retry".to_owned()).spawn(retry).is_err() {
            // Then the next question tries.
            *self.lock() = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn warning(&self, reason: &str) -> String {
        format!(
            "the team server at {} is not reachable ({reason}); this answer is for this machine only",
            self.address
        )
    }
}

impl RemoteQuestion {
    /// Waits for the answer until the deadline; the error is a warning.
    pub fn answer(self) -> Result<RemoteAnswer, String> {
        let Self { server, asked, answer } = self;
        let left = DEADLINE.saturating_sub(asked.elapsed()) + Duration::from_millis(50);
        let response = match answer.recv_timeout(left) {
            Ok(Ok(body)) => serde_json::from_slice(&body).unwrap_or_default(),
            Ok(Err(TeamServerError::NoAnswer(body))) => {
                let body: Value = serde_json::from_slice(&body).unwrap_or_default();
                let reason = body["error"]["message"].as_str().unwrap_or("it has no answer");
                json!({ "repositories": [], "notes": [reason], "text": "" })
            }
            Ok(Err(TeamServerError::Unreachable(reason) | TeamServerError::Refused(reason))) => {
                return Err(server.warning(&reason));
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let reason = "it does not answer in time";
                server.retry_later(reason);
                return Err(server.warning(reason));
            }
        };
        if !response["text"].is_string() && response["answer"].is_null() {
            return Err(server.warning("its answer cannot be read"));
        }
        Ok(RemoteAnswer { address: server.address.clone(), response })
    }
}

impl RemoteAnswer {
    /// The text of the answer; empty if nothing was found.
    fn text(&self) -> &str {
        self.response["text"].as_str().unwrap_or_default().trim_end()
    }

    /// Whether other repositories have something.
    pub fn has_hits(&self) -> bool {
        !self.text().is_empty() && self.response["unresolved"] != true
    }

    /// What the server says about its answer.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        self.response["notes"].as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    /// Writes the text, below a heading that says where it is from.
    pub fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.own_line(
            Style::Head,
            "other repositories, on {} (their files are not here; paths begin with the repository):",
            &[&self.address],
        )?;
        if self.text().is_empty() {
            return writer.own_line(Style::Plain, "nothing was found", &[]);
        }
        self.text().lines().try_for_each(|line| writer.line(Style::Plain, line))
    }
}
