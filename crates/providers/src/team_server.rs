//! The client of a team server: sends a question, and nothing but the question.

use crate::api_key::ApiKey;
use crate::http::{Failure, HttpClient};
use crate::provider_table::KeySource;
use crate::{Endpoint, ProviderError};
use std::time::Duration;

/// The variable with the token.
const TOKEN: KeySource = KeySource { variable: "ORIENT_TEAM_TOKEN", needed: true };
/// Where questions are sent.
const CALL_PATH: &str = "/v1/call";
/// Maximum size of an answer.
const MAX_ANSWER: u64 = 16 << 20;

/// A team server.
pub struct TeamServer {
    client: HttpClient,
    address: String,
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
        let client =
            HttpClient::new(endpoint, Some(token), 1).map_err(|error: ProviderError| error.to_string())?;
        Ok(Self { client, address: address.to_owned() })
    }

    /// The address, for messages.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Sends a question and returns the body of the answer; the error says why there is none.
    pub fn ask(&self, question: &[u8], timeout: Duration) -> Result<Vec<u8>, String> {
        let response = self.client.post(question, timeout, MAX_ANSWER).map_err(|failure| match failure {
            Failure::Transient(reason) | Failure::Permanent(reason) => reason,
        })?;
        match response.status {
            200 => Ok(response.body),
            401 => Err("it refuses the token".to_owned()),
            404 => Err("it has no answer".to_owned()),
            429 => Err("too many requests with this token".to_owned()),
            status => Err(format!("it answered with status {status}")),
        }
    }
}
