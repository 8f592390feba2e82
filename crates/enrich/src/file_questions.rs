//! Asks a server about files, one after the other.

use crate::connection::{Connection, WaitError};
use crate::consent::Permission;
use crate::location::{places, uri_of};
use crate::message::plain_line;
use crate::supervisor::{Failure, Limits, StartError, Supervisor};
use orient_model::{
    AskedRelation, FileAnswers, FileQuestions, NameAnswer, NameQuestion, RepoPath, ServiceError,
    ServiceStatus,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The server changed its mind while it answered; the same question may be asked again.
const CONTENT_MODIFIED: i64 = -32801;
/// How often a question is asked that the server declined for that reason.
const MAX_ATTEMPTS: u32 = 4;
/// Files in a row that run out of time before the server is started again.
const MAX_TIMEOUTS: u32 = 3;
/// Number of answers without any place after which a server is believed to have loaded nothing.
const MIN_EMPTY: u64 = 10;

/// What a run needs, and who gets its answers.
pub trait RunObserver {
    /// The text of a file, if it still has the content that the questions are about.
    fn text(&mut self, file: &FileQuestions) -> Option<String>;
    /// The answers about a file, as soon as they are there.
    fn answered(&mut self, answers: FileAnswers, outcome: &FileOutcome);
}

/// What became of the questions about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileOutcome {
    /// The file.
    pub path: RepoPath,
    /// How completely the server answered.
    pub status: ServiceStatus,
    /// Why not completely, in words; empty otherwise.
    pub detail: String,
    /// Number of questions.
    pub asked: u64,
    /// Number of answers.
    pub answered: u64,
}

/// The result of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerRun {
    /// What became of each file that was reached, by path.
    pub files: Vec<FileOutcome>,
    /// How often the server was started again after a failure.
    pub restarts: u32,
    /// The most memory that it was seen to use, in bytes; 0 where the system does not say.
    pub peak_memory: u64,
    /// How long the run took.
    pub elapsed: Duration,
    /// Whether the user stopped it.
    pub is_cancelled: bool,
}

/// Asks a server about files. Whatever the server does, the run ends, and says for each file what became of it.
pub fn ask_files(
    permission: &Permission,
    files: &[FileQuestions],
    limits: &Limits,
    cancelled: &dyn Fn() -> bool,
    observer: &mut dyn RunObserver,
) -> ServerRun {
    let begun = Instant::now();
    let mut supervisor = Supervisor::new(permission, limits, cancelled);
    let mut delivery = Delivery { observer, run: ServerRun::default(), held: Vec::new(), knows_any: false };
    let mut timeouts = 0;
    for file in files {
        let Some(text) = delivery.observer.text(file) else {
            let failure =
                Failure::new(ServiceError::SemanticUnavailable, "the file changed or cannot be read");
            delivery.put(file, Vec::new(), Some(failure), true);
            continue;
        };
        let ask = FileQuery { permission, limits, cancelled, file, text: &text };
        let Some((answers, failure, is_lost)) = ask_twice(&ask, &mut supervisor) else {
            delivery.run.is_cancelled = true;
            break;
        };
        timeouts = match &failure {
            Some(failure) if failure.error == ServiceError::Timeout && !is_lost => timeouts + 1,
            _ => 0,
        };
        delivery.put(file, answers, failure, is_lost);
        if timeouts >= MAX_TIMEOUTS {
            timeouts = 0;
            let failure = Failure::new(ServiceError::Timeout, "it does not answer in time");
            if matches!(supervisor.failed(failure), Err(StartError::Cancelled)) {
                delivery.run.is_cancelled = true;
                break;
            }
        }
    }
    supervisor.shut_down();
    let mut run = delivery.finish();
    (run.restarts, run.peak_memory, run.elapsed) =
        (supervisor.restarts, supervisor.peak_memory, begun.elapsed());
    run
}

/// Hands answers on. A server that has loaded nothing answers every question with nothing, so answers are held until one of them names a place.
struct Delivery<'o> {
    observer: &'o mut dyn RunObserver,
    run: ServerRun,
    held: Vec<(FileAnswers, FileOutcome)>,
    knows_any: bool,
}

impl Delivery<'_> {
    fn put(
        &mut self,
        file: &FileQuestions,
        answers: Vec<NameAnswer>,
        failure: Option<Failure>,
        is_lost: bool,
    ) {
        let status = match &failure {
            None => ServiceStatus::Full,
            Some(failure) if is_lost => ServiceStatus::Failed(failure.error),
            Some(failure) => ServiceStatus::SyntacticOnly(failure.error),
        };
        let detail = failure.map(|failure| failure.detail).unwrap_or_default();
        let (asked, answered) = (file.questions.len() as u64, answers.len() as u64);
        let outcome = FileOutcome { path: file.path.clone(), status, detail, asked, answered };
        self.knows_any |= answers.iter().any(|answer| !answer.places.is_empty());
        self.held.push((FileAnswers { path: file.path.clone(), hash: file.hash, status, answers }, outcome));
        if self.knows_any {
            self.hand_on();
        }
    }

    fn hand_on(&mut self) {
        for (answers, outcome) in std::mem::take(&mut self.held) {
            self.observer.answered(answers, &outcome);
            self.run.files.push(outcome);
        }
    }

    fn finish(mut self) -> ServerRun {
        let answered: u64 = self.held.iter().map(|(_, outcome)| outcome.answered).sum();
        if answered >= MIN_EMPTY {
            let error = ServiceError::ProjectLoadFailed;
            for (answers, outcome) in self.held.iter_mut().filter(|(_, outcome)| outcome.answered > 0) {
                answers.answers.clear();
                (answers.status, outcome.status) =
                    (ServiceStatus::SyntacticOnly(error), ServiceStatus::SyntacticOnly(error));
                "it knows no definition at all".clone_into(&mut outcome.detail);
                outcome.answered = 0;
            }
        }
        self.hand_on();
        self.run
    }
}

/// The answers about a file, why some are missing, and whether the file is to blame: the server died of it twice.
type Asked = (Vec<NameAnswer>, Option<Failure>, bool);

/// Asks about a file; once more if the server dies meanwhile. `None` if the user stopped the run.
fn ask_twice(ask: &FileQuery<'_>, supervisor: &mut Supervisor<'_>) -> Option<Asked> {
    let mut is_second = false;
    loop {
        let (connection, is_new) = match supervisor.connection() {
            Ok(running) => running,
            Err(StartError::Cancelled) => return None,
            Err(StartError::GivenUp(failure)) => return Some((Vec::new(), Some(failure), false)),
        };
        // A server without a sign that the project is loaded loads it when it is first asked.
        let time = if is_new { ask.limits.project } else { ask.limits.file };
        match ask.ask(connection, Instant::now() + time) {
            Ok((answers, failure)) => return Some((answers, failure, false)),
            Err(WaitError::Cancelled) => return None,
            Err(WaitError::Timeout) => {
                let failure = Failure::new(ServiceError::Timeout, "it does not read what it is sent");
                return Some((Vec::new(), Some(failure), false));
            }
            Err(WaitError::Ended(failure)) => match supervisor.failed(failure.clone()) {
                Err(StartError::Cancelled) => return None,
                Ok(()) if !is_second => is_second = true,
                Ok(()) | Err(StartError::GivenUp(_)) => return Some((Vec::new(), Some(failure), true)),
            },
        }
    }
}

/// The questions about one file.
struct FileQuery<'r> {
    permission: &'r Permission,
    limits: &'r Limits,
    cancelled: &'r dyn Fn() -> bool,
    file: &'r FileQuestions,
    text: &'r str,
}

impl FileQuery<'_> {
    /// Opens the file in the server, asks, and closes it.
    fn ask(
        &self,
        connection: &mut Connection,
        deadline: Instant,
    ) -> Result<(Vec<NameAnswer>, Option<Failure>), WaitError> {
        let uri = uri_of(&self.permission.root.join(self.file.path.display().as_ref()));
        let language = self.permission.server.languages.get(&self.file.language);
        let document = json!({ "textDocument": {
            "uri": uri,
            "languageId": language.unwrap_or(&self.file.language),
            "version": 1,
            "text": self.text,
        } });
        connection.tell("textDocument/didOpen", &document, deadline, self.cancelled)?;
        let asked = self.questions(connection, &uri, deadline)?;
        let closed = json!({ "textDocument": { "uri": uri } });
        let soon = Instant::now() + Duration::from_secs(1);
        match connection.tell("textDocument/didClose", &closed, soon, self.cancelled) {
            Ok(()) | Err(WaitError::Timeout) => Ok(asked),
            Err(error) => Err(error),
        }
    }

    /// Sends the questions, at most as many at a time as the queue holds, and collects the answers.
    fn questions(
        &self,
        connection: &mut Connection,
        uri: &str,
        deadline: Instant,
    ) -> Result<(Vec<NameAnswer>, Option<Failure>), WaitError> {
        let mut open: Vec<(NameQuestion, u32)> =
            self.file.questions.iter().rev().map(|&one| (one, 1)).collect();
        let mut waiting: BTreeMap<u64, (NameQuestion, u32)> = BTreeMap::new();
        let (mut answers, mut failure) = (Vec::with_capacity(open.len()), None);
        while !open.is_empty() || !waiting.is_empty() {
            while waiting.len() < self.limits.queue
                && let Some((question, attempt)) = open.pop()
            {
                if question.asks == AskedRelation::Implementations && !connection.state.knows_implementations
                {
                    answers.push(NameAnswer { question, places: Vec::new() });
                    continue;
                }
                let parameters = self.parameters(uri, question, connection.state.in_bytes);
                let id = connection.ask(method(question.asks), &parameters, deadline, self.cancelled)?;
                waiting.insert(id, (question, attempt));
            }
            if waiting.is_empty() {
                break;
            }
            let (id, result) = match connection.response(deadline, self.cancelled) {
                Ok(response) => response,
                Err(WaitError::Timeout) => {
                    let missing = waiting.len() + open.len();
                    cancel(connection, waiting.keys());
                    let detail = format!("{missing} questions were not answered in time");
                    failure = Some(Failure::new(ServiceError::Timeout, detail));
                    break;
                }
                Err(WaitError::Cancelled) => {
                    cancel(connection, waiting.keys());
                    return Err(WaitError::Cancelled);
                }
                Err(error) => return Err(error),
            };
            // An answer to a question of an earlier file that was given up.
            let Some((question, attempt)) = waiting.remove(&id) else { continue };
            match result {
                Ok(result) => {
                    let places = places(&result, connection.state.in_bytes);
                    answers.push(NameAnswer { question, places });
                }
                Err((CONTENT_MODIFIED, _)) if attempt < MAX_ATTEMPTS => open.push((question, attempt + 1)),
                Err((_, message)) => {
                    let detail = plain_line(&message);
                    failure.get_or_insert(Failure::new(ServiceError::SemanticUnavailable, detail));
                }
            }
        }
        answers.sort_by_key(|answer| answer.question);
        Ok((answers, failure))
    }

    fn parameters(&self, uri: &str, question: NameQuestion, in_bytes: bool) -> Value {
        let start = (question.at - question.column) as usize;
        let before = self.text.get(start..question.at as usize).unwrap_or_default();
        let character = if in_bytes { before.len() } else { before.encode_utf16().count() };
        let position = json!({ "line": question.line, "character": character });
        json!({ "textDocument": { "uri": uri }, "position": position })
    }
}

fn method(asks: AskedRelation) -> &'static str {
    match asks {
        AskedRelation::Definition => "textDocument/definition",
        AskedRelation::Implementations => "textDocument/implementation",
    }
}

/// Tells the server that answers are no longer wanted.
fn cancel<'i>(connection: &mut Connection, ids: impl Iterator<Item = &'i u64>) {
    let soon = Instant::now() + Duration::from_millis(100);
    for id in ids {
        if connection.tell("$/cancelRequest", &json!({ "id": id }), soon, &|| false).is_err() {
            return;
        }
    }
}
