//! What is known about servers that are asked in the background: kept beside the index, so that every process can show it.

use crate::operations::scip;
use crate::session::Session;
use orient_enrich::allowed;
use orient_safefs::{Access, Directory};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::Path;

/// The file in the directory of a tree.
const STATE: &str = "layers-background.json";
/// The file whose lock the process holds that asks.
const TURN: &str = "layers-background.lock";
/// Maximum size of the state.
const MAX_SIZE: u64 = 64 << 10;

/// Whether language servers are asked in the background, and why not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BackgroundState {
    /// The activity.
    pub(crate) activity: BackgroundActivity,
    /// What it does or why it does not, in words.
    pub(crate) reason: String,
}

/// What happens in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BackgroundActivity {
    /// The settings turn it off.
    Off,
    /// The user has not allowed anything.
    NotAllowed,
    /// No Orient server runs for this tree.
    NotRunning,
    /// It waits until nothing changes.
    Waiting,
    /// A server is asked.
    Querying,
    /// Everything was asked.
    UpToDate,
    /// No server answers.
    Failed,
}

impl BackgroundState {
    pub(super) fn new(activity: BackgroundActivity, reason: impl Into<String>) -> Self {
        Self { activity, reason: reason.into() }
    }

    /// The state for a session.
    pub(crate) fn of(session: &Session<'_>) -> Self {
        let settings = &session.loaded().settings.enrich;
        if !settings.layer || !settings.background {
            let key = if settings.layer { "background" } else { "layer" };
            let reason = format!("turned off by the setting enrich.{key}");
            return Self::new(BackgroundActivity::Off, reason);
        }
        // Without a place that only the user can write to, nobody can have allowed anything.
        let directory = session.private_directory(false).ok();
        let is_allowed = |directory: &Path| {
            !allowed(directory, session.root()).is_empty()
                || scip::is_import_allowed(directory, session.root())
        };
        let Some(directory) = directory.filter(|directory| is_allowed(directory)) else {
            let reason = "not asked: none is allowed (`orient enrich status` shows what each would run)";
            return Self::new(BackgroundActivity::NotAllowed, reason);
        };
        if take_turn(&directory).is_some() {
            let reason = "not asked: no Orient server runs for this tree; `orient enrich` asks now";
            return Self::new(BackgroundActivity::NotRunning, reason);
        }
        let read = || Directory::open(&directory).ok()?.read(STATE, MAX_SIZE).ok()?;
        let known = read().and_then(|text| serde_json::from_slice(&text).ok());
        known.unwrap_or_else(|| Self::new(BackgroundActivity::Waiting, "waits for the index"))
    }

    /// Stores it. If that fails, the state that is shown is old.
    pub(super) fn store(&self, directory: &Path) {
        if let Ok(text) = serde_json::to_vec(self) {
            let _ = Directory::open(directory).and_then(|place| place.replace(STATE, &text));
        }
    }
}

/// The right to ask servers about a tree in the background, until it is dropped; `None` if another process has it.
pub(super) fn take_turn(directory: &Path) -> Option<File> {
    let file = Directory::open(directory).ok()?.file(TURN, Access::Write).ok()?;
    file.try_lock().ok()?;
    Some(file)
}
