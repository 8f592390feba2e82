//! A worker: claims jobs, mirrors repositories, indexes what changed and publishes it.

use crate::artefacts::store_artefact;
use crate::branch_entries::known_blobs;
use crate::catalogue::check_branch;
use crate::contents::{ContentWriter, Hash, MAX_CONTENT};
use crate::data_directory::DataDirectory;
use crate::database::Database;
use crate::error::TeamError;
use crate::indexes::{Indexes, OpenedRepository};
use crate::jobs::Job;
use crate::mirror::{GitEntry, Mirror};
use crate::open_trees::give_way;
use crate::publication::{Publication, defined_names};
use crate::published_tree::{BranchEntry, tree_id};
use orient_engine::Cancel;
use orient_model::RepoPath;
use orient_walk::StoredKind;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often a worker without a job looks for one.
const POLL: Duration = Duration::from_millis(500);

/// How often a worker without a job removes contents that no branch has.
const COLLECT_EVERY: Duration = Duration::from_hours(1);

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// How long a job belongs to a worker that does not report.
    pub lease: Duration,
    /// How often branches are compared with their sources.
    pub interval: Duration,
    /// Whether to stop when there is no job.
    pub until_idle: bool,
    /// Git configuration of the operator, for credentials.
    pub git_config: Option<PathBuf>,
}

/// What became of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkOutcome {
    /// A generation was published, with this number of changed entries.
    Published {
        /// The commit.
        commit: String,
        /// Number of changed entries.
        changes: usize,
    },
    /// The source has not changed.
    Unchanged,
    /// It failed and is tried again later.
    Failed(String),
}

/// A worker.
pub struct Worker {
    database: Arc<Database>,
    indexes: Indexes,
    options: WorkerOptions,
    name: String,
}

impl Worker {
    /// A worker with a data directory that no other worker uses at the same time.
    pub fn new(database: Arc<Database>, data: DataDirectory, options: WorkerOptions) -> Self {
        let host = std::env::var("HOSTNAME").unwrap_or_default();
        let name = format!("{host}/{}/{:?}", std::process::id(), std::time::SystemTime::now());
        Self { indexes: Indexes::new(database.clone(), data), database, options, name }
    }

    /// Works until it is cancelled, or the schema is for other programs. `report` receives the repository and what became of each job.
    pub fn run(&self, stop: &Cancel, report: &dyn Fn(&str, &WorkOutcome)) -> Result<(), TeamError> {
        give_way();
        let mut collected: Option<Instant> = None;
        while !stop.is_cancelled() {
            let claimed = self
                .database
                .check_schema()
                .and_then(|()| self.database.schedule(self.options.interval))
                .and_then(|()| self.database.claim(&self.name, self.options.lease));
            match claimed {
                Ok(Some(job)) => report(&job.repository_name, &self.work(&job)),
                Ok(None) if collected.is_none_or(|at| at.elapsed() > COLLECT_EVERY) => {
                    collected = Some(Instant::now());
                    if self.database.collect_contents().is_err() {
                        tracing::warn!("unused contents cannot be removed");
                    }
                }
                Ok(None) if self.options.until_idle => return Ok(()),
                Err(error @ TeamError::Schema { .. }) => return Err(error),
                Err(error) if self.options.until_idle => return Err(error),
                Ok(None) => std::thread::sleep(POLL),
                Err(_) => {
                    tracing::warn!("the database cannot be reached");
                    std::thread::sleep(POLL * 4);
                }
            }
        }
        Ok(())
    }

    fn work(&self, job: &Job) -> WorkOutcome {
        let done = self.while_renewing(job, || self.index(job));
        done.unwrap_or_else(|error| {
            // Without the database, or one for newer workers, the lease ends and the job is claimed again.
            if !matches!(error, TeamError::Schema { .. }) {
                let _ = self.database.fail(job, &error);
            }
            WorkOutcome::Failed(error.to_string())
        })
    }

    /// Renews the lease of a job while something is done.
    fn while_renewing<T>(&self, job: &Job, act: impl FnOnce() -> T) -> T {
        let (done, is_done) = channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while is_done.recv_timeout(self.options.lease / 3) == Err(RecvTimeoutError::Timeout) {
                    // If that fails, publishing fails too.
                    let _ = self.database.renew(job, self.options.lease);
                }
            });
            let result = act();
            drop(done);
            result
        })
    }

    fn index(&self, job: &Job) -> Result<WorkOutcome, TeamError> {
        let mirror = Mirror::open(self.indexes.data.mirror(job.repository), self.options.git_config.clone())?;
        let branch = match job.branch_name.as_str() {
            "" => mirror.default_branch(&job.source)?,
            name => name.to_owned(),
        };
        check_branch(&branch)?;
        let commit = mirror.fetch(&job.source, &branch)?;
        if job.commit.as_ref() == Some(&commit) {
            self.database.finish_unchanged(job)?;
            return Ok(WorkOutcome::Unchanged);
        }
        let (entries, new_contents) = self.entries(job, &mirror, &commit)?;
        let mut state = self.database.branch_state(job.branch)?;
        if state.artefact.is_none() {
            state.artefact = self.database.similar_artefact(&entries)?;
            state.is_shared = state.artefact.is_some();
        }
        let repository =
            OpenedRepository { id: job.repository, name: &job.repository_name, artefact: state.artefact };
        let open = self.indexes.open(&repository, &entries)?;
        let snapshot = open.engine().snapshot()?;
        let names = defined_names(&snapshot, &entries, &new_contents)?;
        ContentWriter::new(&self.indexes.contents).store(&new_contents, &names)?;
        let is_outdated = state.is_outdated(new_contents.len(), entries.len());
        let artefact = match state.artefact.filter(|_| !is_outdated) {
            Some(artefact) => artefact,
            None => store_artefact(&self.database, &self.indexes.data, job.repository, open.engine())?,
        };
        let drift = (state.artefact == Some(artefact)).then_some(if state.is_shared {
            0
        } else {
            new_contents.len()
        });
        let publication = Publication {
            branch_name: branch,
            commit: commit.clone(),
            tree: tree_id(&entries),
            packages: snapshot.packages()?,
            entries,
            artefact,
            drift,
        };
        let changes = self.database.publish(job, &publication)?;
        Ok(WorkOutcome::Published { commit, changes })
    }

    /// The entries of a commit, with their contents in the cache; and the contents that the repository did not have.
    fn entries(
        &self,
        job: &Job,
        mirror: &Mirror,
        commit: &str,
    ) -> Result<(Vec<BranchEntry>, BTreeSet<Hash>), TeamError> {
        let listed = mirror.entries(commit)?;
        let mut known = self.database.read(|transaction| known_blobs(transaction, job.repository))?;
        let is_stored = |entry: &&GitEntry| entry.kind == StoredKind::File && entry.size <= MAX_CONTENT;
        let mut missing: Vec<&str> = listed
            .iter()
            .filter(is_stored)
            .filter(|entry| !known.contains_key(&blob_id(&entry.id)))
            .map(|entry| entry.id.as_str())
            .collect();
        missing.sort_unstable();
        missing.dedup();
        let mut new_contents = BTreeSet::new();
        mirror.read_blobs(&missing, |at, content| {
            let hash = self.indexes.contents.add(&content)?;
            known.insert(blob_id(missing[at]), hash);
            new_contents.insert(hash);
            Ok(())
        })?;
        let entry = |entry: &GitEntry| {
            let blob = blob_id(&entry.id);
            let content = if is_stored(&entry) { known.get(&blob).copied() } else { None };
            let path = RepoPath::new(entry.path.as_slice());
            BranchEntry { path, kind: entry.kind, blob, size: entry.size, content }
        };
        Ok((listed.iter().map(entry).collect(), new_contents))
    }
}

/// The bytes of an id in hexadecimal form.
fn blob_id(text: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
    text.as_bytes()
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |number, byte| number << 4 | digit(*byte)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_bytes() {
        assert_eq!(blob_id("00ff1a"), [0, 255, 26]);
    }
}
