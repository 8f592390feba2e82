//! The facts of a published branch as a file, for a user's machine that indexes a clone. They are those of exactly the published tree, which the
//! artefact of the branch need not be.

use crate::access::PublishedBranch;
use crate::contents::hex;
use crate::data_directory::DataDirectory;
use crate::error::TeamError;
use orient_engine::{Cancel, Engine};
use std::fs::File;
use std::sync::{Mutex, PoisonError};

/// The files in the data directory, one for each branch that was asked for.
pub(crate) struct FactsFiles {
    data: DataDirectory,
    /// Held while a file is written.
    writing: Mutex<()>,
}

impl FactsFiles {
    pub(crate) fn new(data: DataDirectory) -> Self {
        Self { data, writing: Mutex::default() }
    }

    /// The open file of a branch, whose index is up to date; written if there is none.
    pub(crate) fn open(&self, branch: &PublishedBranch, engine: &Engine) -> Result<File, TeamError> {
        let failed = || TeamError::io("cannot use the file of facts");
        let directory = self.data.directory("facts")?;
        let prefix = format!("{}-", branch.id);
        let name = format!("{prefix}{}", hex(&branch.tree));
        let path = directory.path().join(&name);
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(file) = File::open(&path) {
            return Ok(file);
        }
        engine.export_facts(&path, &Cancel::default())?;
        let file = File::open(&path).map_err(failed())?;
        for other in directory.names().map_err(failed())? {
            if let Some(other) = other.to_str()
                && other.starts_with(&prefix)
                && other != name
            {
                // A reader keeps its file open. If this fails, the next export tries again.
                let _ = directory.remove(other);
            }
        }
        Ok(file)
    }
}
