//! The facts that a team server has published for the repository of a new clone: its first index then parses only what differs.

use super::own_repository::{head, identify};
use orient_engine::{Cancel, RemoteFacts};
use orient_providers::{ServerFacts, TeamServerError};
use orient_settings::Settings;
use serde_json::json;
use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;

/// Number of bytes that are read at once.
const PART: usize = 64 << 10;

/// The team server of the settings, as a source of facts.
pub(crate) struct PublishedFacts {
    address: String,
    settings: Settings,
    root: PathBuf,
}

impl PublishedFacts {
    /// The source that the settings name, if they do.
    pub(crate) fn of(settings: &Settings, root: PathBuf) -> Option<Self> {
        let address = settings.remote.url.clone()?;
        Some(Self { address, settings: settings.clone(), root })
    }

    fn problem(&self, reason: &str) -> String {
        format!(
            "the team server at {} has no facts for this clone ({reason}); all files were parsed",
            self.address
        )
    }
}

impl RemoteFacts for PublishedFacts {
    fn fetch(&self, to: &mut File, cancel: &Cancel) -> Result<Option<String>, String> {
        let server = super::team_server(&self.settings, &self.address);
        let server = server.map_err(|reason| self.problem(&reason))?;
        let question = json!({ "own": identify(&self.root), "head": head(&self.root) });
        let found = server.facts(question.to_string().as_bytes()).map_err(|error| match error {
            TeamServerError::Unreachable(reason) | TeamServerError::Refused(reason) => self.problem(&reason),
            TeamServerError::NoAnswer(_) => self.problem("it does not understand the question"),
        })?;
        let Some(ServerFacts { label, mut body }) = found else { return Ok(None) };
        let mut part = vec![0; PART];
        loop {
            if cancel.is_cancelled() {
                return Err(self.problem("cancelled"));
            }
            match body.read(&mut part).map_err(|error| self.problem(&error.to_string()))? {
                0 => return Ok(Some(format!("{label} on {}", self.address))),
                read => to.write_all(&part[..read]).map_err(|error| self.problem(&error.to_string()))?,
            }
        }
    }
}
