//! The write guard: whether a file may be written now, and if not, what clears it.

use crate::intent::Phase;
use crate::record::{Location, Record, Served};
use crate::task::Task;

/// The file that is about to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteTarget {
    /// Its path from the root; `None` outside the tree.
    pub path: Option<String>,
    /// Whether it exists.
    pub exists: bool,
    /// Callers and implementers in other files that a change must not break.
    pub must: Vec<DependentUse>,
}

/// A use of the file in another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DependentUse {
    /// Where it is.
    pub at: Location,
    /// The handle of the symbol that contains it.
    pub symbol: String,
}

impl DependentUse {
    /// Whether it was served: the use itself, or the symbol that contains it. What this task has written, it knows.
    pub fn is_verified(&self, record: &Record) -> bool {
        record.location(&self.at) == Served::Fresh
            || record.symbol(&self.symbol) == Served::Fresh
            || record.written.contains(&self.at.path)
    }
}

/// Why a file must not be written yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The task is not ready.
    NotReady(Phase),
    /// The file was never served.
    NotExplored(String),
    /// The file has changed since it was served.
    Stale(String),
    /// The task creates no files.
    NoNewFiles(String),
    /// Nothing in the directory of a new file was served.
    DirectoryNotExplored(String),
    /// Uses of the file that were never served.
    Unverified {
        /// The file.
        path: String,
        /// The uses.
        missing: Vec<DependentUse>,
    },
}

/// Checks a write. Files outside the tree are not the task's concern.
pub fn check_write(task: &Task, record: &Record, target: &WriteTarget) -> Result<(), Refusal> {
    let Some(path) = &target.path else { return Ok(()) };
    if task.phase != Phase::Ready {
        return Err(Refusal::NotReady(task.phase));
    }
    if !target.exists {
        if !task.intent.writes() {
            return Err(Refusal::NoNewFiles(path.clone()));
        }
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        if !record.directory(directory) {
            return Err(Refusal::DirectoryNotExplored(directory.to_owned()));
        }
        return Ok(());
    }
    match record.file(path) {
        Served::Never => return Err(Refusal::NotExplored(path.clone())),
        Served::Stale => return Err(Refusal::Stale(path.clone())),
        Served::Fresh => {}
    }
    let missing: Vec<DependentUse> =
        target.must.iter().filter(|one| !one.is_verified(record)).cloned().collect();
    if missing.is_empty() { Ok(()) } else { Err(Refusal::Unverified { path: path.clone(), missing }) }
}
