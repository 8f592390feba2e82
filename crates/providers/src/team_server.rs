//! The client of a team server: sends a question, and nothing but the question.

use crate::api_key::ApiKey;
use crate::http::{Failure, HttpClient, OpenResponse, Response, Waits};
use crate::provider_table::KeySource;
use crate::{Endpoint, ProviderError};
use std::io::Read;
use std::time::Duration;

/// The variable with the token.
const TOKEN: KeySource = KeySource { variable: "ORIENT_TEAM_TOKEN", needed: true };
/// Where questions are sent.
const CALL_PATH: &str = "/v1/call";
/// What says whether the server can answer questions.
const READY_PATH: &str = "/readyz";
/// Where the facts of a published tree are.
const FACTS_PATH: &str = "/v1/facts";
/// Maximum size of an answer.
const MAX_ANSWER: u64 = 16 << 20;
/// Maximum size of what the server says about itself.
const MAX_STATE: u64 = 1 << 10;
/// Maximum size of facts.
const MAX_FACTS: u64 = 4 << 30;
/// How long the server may take to send facts: it may have to open an index first. Beyond that, parsing is no slower.
const FACTS_WAITS: Waits =
    Waits { connect: Duration::from_secs(2), response: Duration::from_secs(20), all: Duration::from_mins(5) };

/// A team server.
pub struct TeamServer {
    questions: HttpClient,
    readiness: HttpClient,
    facts: HttpClient,
    address: String,
}

/// Facts that a server sends.
pub struct ServerFacts {
    /// The repository.
    pub label: String,
    /// The bytes.
    pub body: Box<dyn Read>,
}

/// Why a server has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TeamServerError {
    /// It cannot be reached, is too slow or cannot answer now: this may change.
    Unreachable(String),
    /// It does not answer this token.
    Refused(String),
    /// It answers that there is nothing, or that the question is wrong, with this body.
    NoAnswer(Vec<u8>),
}

impl TeamServer {
    /// A server by its address, with the token of the environment or of a file. Opens no connection yet.
    pub fn new(
        address: &str,
        token_file: Option<&str>,
        variables: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let endpoint = Endpoint::parse(address, CALL_PATH)?;
        if !endpoint.is_encrypted() && !endpoint.is_local() {
            return Err("it is on another machine, so it must begin with https://".to_owned());
        }
        let token = |name: &str| variables(name).or_else(|| token_file.map(str::to_owned));
        let token = ApiKey::read(TOKEN, &token)?;
        let token = token.ok_or_else(|| format!("the variable {} has no token", TOKEN.variable))?;
        let questions =
            HttpClient::new(endpoint, Some(token), 1).map_err(|error: ProviderError| error.to_string())?;
        let readiness = questions.at(Endpoint::parse(address, READY_PATH)?);
        let facts = questions.at(Endpoint::parse(address, FACTS_PATH)?);
        Ok(Self { questions, readiness, facts, address: address.to_owned() })
    }

    /// The address, for messages.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Sends a question and returns the body of the answer.
    pub fn ask(&self, question: &[u8], timeout: Duration) -> Result<Vec<u8>, TeamServerError> {
        let response = self.questions.post(question, timeout, MAX_ANSWER).map_err(unreachable)?;
        checked(response)
    }

    /// Asks for the facts of a published tree; `None` if the server does not have the repository.
    pub fn facts(&self, question: &[u8]) -> Result<Option<ServerFacts>, TeamServerError> {
        let OpenResponse { status, label, body } =
            self.facts.open(question, FACTS_WAITS, MAX_FACTS).map_err(unreachable)?;
        match status {
            200 => Ok(Some(ServerFacts { label: label.unwrap_or_default(), body })),
            404 => Ok(None),
            status => Err(checked(Response { status, retry_after: None, body: Vec::new() })
                .err()
                .unwrap_or_else(|| TeamServerError::NoAnswer(Vec::new()))),
        }
    }

    /// Whether the server says that it can answer questions.
    pub fn is_ready(&self, timeout: Duration) -> bool {
        self.readiness.get(timeout, MAX_STATE).is_ok_and(|response| response.status == 200)
    }
}

fn unreachable(failure: Failure) -> TeamServerError {
    let (Failure::Transient(reason) | Failure::Permanent(reason)) = failure;
    TeamServerError::Unreachable(reason)
}

/// The body of a successful response.
fn checked(response: Response) -> Result<Vec<u8>, TeamServerError> {
    match response.status {
        200 => Ok(response.body),
        400 | 404 => Err(TeamServerError::NoAnswer(response.body)),
        401 => Err(TeamServerError::Refused("it refuses the token".to_owned())),
        429 => Err(TeamServerError::Refused("too many requests with this token".to_owned())),
        status => Err(TeamServerError::Unreachable(format!("it answered with status {status}"))),
    }
}
