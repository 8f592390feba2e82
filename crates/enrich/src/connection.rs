//! One running server: a thread reads what it sends, one writes what it is sent, one watches its memory; the thread that asks does the rest.

use crate::child_process::{ChildGroup, Pipes};
use crate::framing::{framed, read_message};
use crate::memory;
use crate::message::{Incoming, notification, plain_line, request, response};
use crate::server_replies::reply;
use crate::server_table::Server;
use crate::supervisor::{Failure, Limits};
use orient_model::ServiceError;
use serde_json::Value;
use std::collections::VecDeque;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a wait checks whether it was cancelled.
const POLL: Duration = Duration::from_millis(20);
/// How often memory is measured.
const WATCH: Duration = Duration::from_millis(200);
/// Messages that wait to be written: our requests, and replies to those of the server.
const OUTGOING: usize = 512;
/// Messages that wait to be handled. A server that sends more is not read until they are.
const INCOMING: usize = 256;
/// Messages that are neither requests nor responses nor notifications, before the server is given up.
const MAX_MALFORMED: usize = 32;
/// How long the last words of a server that ended are waited for.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How much of what it writes to standard error is kept, for the reason of a failure.
const KEPT_STDERR: usize = 4096;

/// Why a wait ended without a response.
#[derive(Debug)]
pub(crate) enum WaitError {
    /// The user stopped the run.
    Cancelled,
    /// The time is over.
    Timeout,
    /// The server is gone.
    Ended(Failure),
}

/// A response: the number of its request, and the result or error.
pub(crate) type Response = (u64, Result<Value, (i64, String)>);

enum StreamEvent {
    Message(Incoming),
    /// The stream ended, and why.
    Ended(String),
}

/// What the watching thread shares with the connection.
struct Watch {
    begun: Instant,
    /// When the server was last asked, in milliseconds since it was started.
    used: AtomicU64,
    peak: AtomicU64,
    over_memory: AtomicBool,
    idle: AtomicBool,
    done: AtomicBool,
}

/// What a server said about itself.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the server on its own")]
pub(crate) struct ServerState {
    /// Whether it said that the project is loaded.
    pub(crate) is_ready: bool,
    /// The last error it reported.
    pub(crate) error: Option<String>,
    /// Whether it reported that it cannot work.
    pub(crate) is_broken: bool,
    /// Whether characters of its positions are bytes.
    pub(crate) in_bytes: bool,
    /// Whether it knows implementations.
    pub(crate) knows_implementations: bool,
}

/// A running server.
pub(crate) struct Connection {
    group: ChildGroup,
    outgoing: SyncSender<Vec<u8>>,
    incoming: Receiver<StreamEvent>,
    /// Responses that arrived while something was sent.
    early: VecDeque<Response>,
    ended: Option<String>,
    stderr: Arc<Mutex<Vec<u8>>>,
    stderr_reader: JoinHandle<()>,
    watch: Arc<Watch>,
    next_id: u64,
    server: Server,
    root: PathBuf,
    pub(crate) state: ServerState,
}

impl Connection {
    /// Connects to a started process.
    pub(crate) fn new(
        group: ChildGroup,
        pipes: Pipes,
        server: &Server,
        root: &Path,
        limits: &Limits,
    ) -> Self {
        let Pipes { mut stdin, stdout, mut stderr } = pipes;
        let (outgoing, to_write) = mpsc::sync_channel::<Vec<u8>>(OUTGOING);
        let (found, incoming) = mpsc::sync_channel(INCOMING);
        std::thread::spawn(move || {
            for message in to_write {
                if stdin.write_all(&framed(&message)).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        std::thread::spawn(move || read_all(&mut BufReader::with_capacity(1 << 16, stdout), &found));
        let kept = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&kept);
        let stderr_reader = std::thread::spawn(move || {
            let mut part = [0; 1024];
            while let Ok(got @ 1..) = stderr.read(&mut part) {
                let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&part[..got]);
                let over = kept.len().saturating_sub(KEPT_STDERR);
                kept.drain(..over);
            }
        });
        let watch = Arc::new(Watch {
            begun: Instant::now(),
            used: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            over_memory: AtomicBool::new(false),
            idle: AtomicBool::new(false),
            done: AtomicBool::new(false),
        });
        let (shared, watched, limits) = (Arc::clone(&watch), group.clone(), *limits);
        std::thread::spawn(move || watch_over(&shared, &watched, &limits));
        Self {
            group,
            outgoing,
            incoming,
            early: VecDeque::new(),
            ended: None,
            stderr: kept,
            stderr_reader,
            watch,
            next_id: 1,
            server: server.clone(),
            root: root.to_owned(),
            state: ServerState::default(),
        }
    }

    /// Whether it was ended because nothing was asked for a long time.
    pub(crate) fn was_idle(&self) -> bool {
        self.watch.idle.load(Ordering::Relaxed)
    }

    /// The most memory it was seen to use.
    pub(crate) fn peak_memory(&self) -> u64 {
        self.watch.peak.load(Ordering::Relaxed)
    }

    /// Sends a request; returns its number.
    pub(crate) fn ask(
        &mut self,
        method: &str,
        params: &Value,
        deadline: Instant,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<u64, WaitError> {
        let id = self.next_id;
        self.next_id += 1;
        self.send(request(id, method, params), deadline, cancelled)?;
        Ok(id)
    }

    /// Sends a notification.
    pub(crate) fn tell(
        &mut self,
        method: &str,
        params: &Value,
        deadline: Instant,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), WaitError> {
        self.send(notification(method, params), deadline, cancelled)
    }

    /// Puts a message into the queue. While that is full, what the server sends is handled, so that both do not wait for each other.
    fn send(
        &mut self,
        mut message: Vec<u8>,
        deadline: Instant,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), WaitError> {
        self.touch();
        loop {
            match self.outgoing.try_send(message) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(_)) => return Err(WaitError::Ended(self.failure())),
                Err(TrySendError::Full(back)) => message = back,
            }
            if cancelled() {
                return Err(WaitError::Cancelled);
            }
            if Instant::now() >= deadline {
                return Err(WaitError::Timeout);
            }
            if let Ok(event) = self.incoming.recv_timeout(POLL)
                && let Some(response) = self.handle(event)
            {
                self.early.push_back(response);
            }
        }
    }

    /// The next response, whatever request it belongs to.
    pub(crate) fn response(
        &mut self,
        deadline: Instant,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Response, WaitError> {
        match self.wait(deadline, cancelled, |_| false)? {
            Some(response) => Ok(response),
            None => Err(WaitError::Timeout),
        }
    }

    /// Handles what the server sends until it responds, or until `enough`.
    pub(crate) fn wait(
        &mut self,
        deadline: Instant,
        cancelled: &dyn Fn() -> bool,
        enough: impl Fn(&ServerState) -> bool,
    ) -> Result<Option<Response>, WaitError> {
        loop {
            self.touch();
            if let Some(response) = self.early.pop_front() {
                return Ok(Some(response));
            }
            if enough(&self.state) {
                return Ok(None);
            }
            if cancelled() {
                return Err(WaitError::Cancelled);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(WaitError::Timeout);
            }
            match self.incoming.recv_timeout(left.min(POLL)) {
                Ok(event) => {
                    let response = self.handle_or_end(event)?;
                    self.early.extend(response);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(WaitError::Ended(self.failure())),
            }
        }
    }

    fn handle_or_end(&mut self, event: StreamEvent) -> Result<Option<Response>, WaitError> {
        let response = self.handle(event);
        if self.ended.is_some() { Err(WaitError::Ended(self.failure())) } else { Ok(response) }
    }

    /// Handles what the server sent; returns it if it is a response.
    fn handle(&mut self, event: StreamEvent) -> Option<Response> {
        match event {
            StreamEvent::Ended(why) => self.ended = Some(why),
            StreamEvent::Message(Incoming::Response { id, result }) => return Some((id, result)),
            StreamEvent::Message(Incoming::Request { id, method, params }) => {
                let result = reply(&self.server, &self.root, &method, &params);
                // A server that does not read its replies does not get them.
                let _ = self.outgoing.try_send(response(&id, result));
            }
            StreamEvent::Message(Incoming::Notification { method, params }) => self.note(&method, &params),
        }
        None
    }

    fn note(&mut self, method: &str, params: &Value) {
        const ERROR: u64 = 1;
        if let Some(ready) = &self.server.ready
            && ready.method == method
        {
            self.state.is_ready |= params.get(&ready.field) == Some(&ready.value);
            if params.get("health").and_then(Value::as_str) == Some("error") {
                self.state.is_broken = true;
                self.state.error = params.get("message").and_then(Value::as_str).map(plain_line);
            }
        }
        let is_error = params.get("type").and_then(Value::as_u64) == Some(ERROR);
        if matches!(method, "window/showMessage" | "window/logMessage") && is_error {
            self.state.error = params.get("message").and_then(Value::as_str).map(plain_line);
        }
    }

    /// Why the server is gone.
    fn failure(&mut self) -> Failure {
        if self.watch.over_memory.load(Ordering::Relaxed) {
            let used = self.peak_memory() >> 20;
            return Failure::new(ServiceError::OomRestart, format!("it used {used} MiB of memory"));
        }
        // Its last words may still be in the pipe, which a process it started can keep open.
        let begun = Instant::now();
        while !self.stderr_reader.is_finished() && begun.elapsed() < LAST_WORDS {
            std::thread::sleep(Duration::from_millis(2));
        }
        let kept = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let said = String::from_utf8_lossy(&kept).trim().lines().last().map(plain_line).unwrap_or_default();
        drop(kept);
        let why = self.ended.clone().unwrap_or_else(|| "it ended".to_owned());
        let detail = if said.is_empty() { why } else { format!("{why}: {said}") };
        Failure::new(ServiceError::SemanticUnavailable, detail)
    }

    fn touch(&self) {
        let now = u64::try_from(self.watch.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.watch.used.store(now, Ordering::Relaxed);
    }

    /// Asks the server to end; it is killed if it does not.
    pub(crate) fn shut_down(mut self, patience: Duration) {
        let (deadline, never) = (Instant::now() + patience, || false);
        if let Ok(id) = self.ask("shutdown", &Value::Null, deadline, &never) {
            while self.response(deadline, &never).is_ok_and(|(answered, _)| answered != id) {}
            let _ = self.tell("exit", &Value::Null, deadline, &never);
            while self.wait(deadline, &never, |_| false).is_ok() {}
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.watch.done.store(true, Ordering::Relaxed);
        self.group.kill();
    }
}

/// Reads messages until the stream ends.
fn read_all(from: &mut BufReader<impl Read>, found: &SyncSender<StreamEvent>) {
    let mut malformed = 0;
    let why = loop {
        match read_message(from) {
            Ok(Some(body)) => match Incoming::parse(&body) {
                Some(message) => {
                    if found.send(StreamEvent::Message(message)).is_err() {
                        return;
                    }
                }
                None if malformed < MAX_MALFORMED => malformed += 1,
                None => break "what it sends is not the language server protocol".to_owned(),
            },
            Ok(None) => break "it ended".to_owned(),
            Err(error) => break plain_line(&error.to_string()),
        }
    };
    let _ = found.send(StreamEvent::Ended(why));
}

/// Ends a server that uses too much memory, or that nobody asks any more.
fn watch_over(watch: &Watch, group: &ChildGroup, limits: &Limits) {
    while !watch.done.load(Ordering::Relaxed) {
        if let Some(used) = memory::resident(group.id()) {
            watch.peak.fetch_max(used, Ordering::Relaxed);
            if used > limits.memory {
                watch.over_memory.store(true, Ordering::Relaxed);
                group.kill();
                return;
            }
        }
        let used = Duration::from_millis(watch.used.load(Ordering::Relaxed));
        if watch.begun.elapsed().saturating_sub(used) > limits.idle {
            watch.idle.store(true, Ordering::Relaxed);
            group.kill();
            return;
        }
        std::thread::sleep(WATCH.min(limits.idle));
    }
}
