//! A node: answers questions about the repositories that a caller may read. It has no state that matters: indexes are caches of
//! what is published, and every request is checked against the database.

use crate::access::PublishedBranch;
use crate::audit::AuditLog;
use crate::branch_entries::read_entries;
use crate::contents::Hash;
use crate::data_directory::DataDirectory;
use crate::database::Database;
use crate::error::TeamError;
use crate::facts_export::FactsFiles;
use crate::indexes::{Indexes, OpenedRepository};
use crate::tokens::{RateLimits, random_text};
use orient_serve::{
    AnsweredQuestion, Authentication, Caller, Credential, FactsFile, OpenedTrees, PublishedFacts,
    RepositoryLine, SharedQuestion, SharedTrees,
};
use orient_tools::{Code, OpenTree, RootFilter, ToolError};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Maximum number of repositories that one question asks.
const MAX_ASKED: usize = 8;
/// Maximum number of trees that stay open.
const MAX_OPEN: usize = 64;

const PUBLISHED: &str = "SELECT tree, artefact FROM branch WHERE id = $1 AND generation > 0";
const JOBS: &str = "SELECT count(*) FILTER (WHERE worker IS NULL), count(*) FILTER (WHERE lease > now()), \
     count(*) FILTER (WHERE error IS NOT NULL) FROM job";

/// A node of a team server.
pub struct Node {
    database: Arc<Database>,
    indexes: Indexes,
    facts: FactsFiles,
    audit: AuditLog,
    limits: RateLimits,
    /// Compared where there is no secret, so that this takes as long.
    unknown_secret: String,
    open: Mutex<HashMap<i64, Arc<BranchSlot>>>,
    opened_count: AtomicU64,
}

/// The open tree of a branch; locked while it is being opened.
#[derive(Default)]
struct BranchSlot {
    tree: Mutex<Option<(Hash, OpenTree)>>,
    used: Mutex<Option<Instant>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Node {
    /// A node with a data directory. Fails if the schema is that of another version.
    pub fn new(database: Arc<Database>, data: DataDirectory) -> Result<Self, TeamError> {
        database.check_schema()?;
        Ok(Self {
            facts: FactsFiles::new(data.clone()),
            indexes: Indexes::new(database.clone(), data),
            database,
            audit: AuditLog::default(),
            limits: RateLimits::default(),
            unknown_secret: random_text()?,
            open: Mutex::default(),
            opened_count: AtomicU64::new(0),
        })
    }

    fn open_branch(&self, branch: &PublishedBranch) -> Result<OpenTree, TeamError> {
        Ok(self.open_published(branch)?.1)
    }

    /// The tree of a branch as it is published now, with its id.
    fn open_published(&self, branch: &PublishedBranch) -> Result<(Hash, OpenTree), TeamError> {
        let slot = self.slot(branch.id);
        let mut tree = lock(&slot.tree);
        if let Some((id, open)) = &*tree
            && *id == branch.tree
        {
            return Ok((*id, open.clone()));
        }
        let (id, artefact, entries) = self.database.read(|transaction| {
            let row = transaction.query_opt(PUBLISHED, &[&branch.id])?;
            let row = row.ok_or_else(|| TeamError::UnknownRepository(branch.label.clone()))?;
            let id = Hash::try_from(row.get::<_, &[u8]>(0))
                .map_err(|_| TeamError::Damaged(branch.label.clone()))?;
            Ok((id, row.get(1), read_entries(transaction, branch.id)?))
        })?;
        let repository = OpenedRepository { id: branch.repository, name: &branch.name, artefact };
        let open = self.indexes.open(&repository, &entries)?;
        self.opened_count.fetch_add(1, Ordering::Relaxed);
        *tree = Some((id, open.clone()));
        Ok((id, open))
    }

    /// The place of a branch among the open ones; the least recently used one makes room.
    fn slot(&self, branch: i64) -> Arc<BranchSlot> {
        let mut open = lock(&self.open);
        let slot = open.entry(branch).or_default().clone();
        *lock(&slot.used) = Some(Instant::now());
        if open.len() > MAX_OPEN {
            let oldest = open.iter().min_by_key(|(id, slot)| (*lock(&slot.used), **id)).map(|(id, _)| *id);
            if let Some(oldest) = oldest {
                open.remove(&oldest);
            }
        }
        slot
    }

    fn open_named(
        &self,
        caller: &Caller,
        name: &str,
        question: &SharedQuestion<'_>,
    ) -> Result<OpenedTrees, TeamError> {
        let branch = self.database.readable_branch(caller, name)?;
        let mut branches = vec![branch];
        let (mut is_labelled, mut notes) = (false, Vec::new());
        if matches!(question.filter, RootFilter::DefinesOrUses(_)) && question.operation.across {
            let using = self.database.requiring(caller, &branches, &[], MAX_ASKED - 1)?;
            is_labelled = !using.branches.is_empty();
            branches.extend(using.branches);
            notes.extend(using.has_more.then(more_note));
        }
        self.opened(&branches, is_labelled, true, notes)
    }

    fn open_all(&self, caller: &Caller, question: &SharedQuestion<'_>) -> Result<OpenedTrees, TeamError> {
        let own = self.database.identified(caller, question.own)?;
        if !question.operation.across {
            let all = self.database.candidates(caller, &RootFilter::Any, &own, 1)?;
            if all.has_more {
                let message = format!(
                    "`{}` is about one repository, and you may read several",
                    question.operation.name
                );
                return Err(TeamError::usage(message, "name one with `repository`"));
            }
            return self.opened(&all.branches, false, true, Vec::new());
        }
        let found = self.database.candidates(caller, &question.filter, &own, MAX_ASKED)?;
        let (mut branches, mut has_more) = (found.branches, found.has_more);
        if matches!(question.filter, RootFilter::DefinesOrUses(_)) {
            let room = MAX_ASKED.saturating_sub(branches.len()).max(MAX_ASKED / 2);
            let using = self.database.requiring(caller, &branches, &own, room)?;
            has_more |= using.has_more;
            branches.extend(using.branches);
        }
        self.opened(&branches, true, false, has_more.then(more_note).into_iter().collect())
    }

    fn opened(
        &self,
        branches: &[PublishedBranch],
        is_labelled: bool,
        only_own_symbols: bool,
        notes: Vec<String>,
    ) -> Result<OpenedTrees, TeamError> {
        let open = |branch: &PublishedBranch| Ok((branch.label.clone(), self.open_branch(branch)?));
        let trees = branches.iter().map(open).collect::<Result<_, TeamError>>()?;
        Ok(OpenedTrees { trees, is_labelled, only_own_symbols, notes })
    }
}

fn more_note() -> String {
    format!(
        "more repositories may have an answer: the best {MAX_ASKED} were asked; name others with `repository`"
    )
}

impl PublishedFacts for Node {
    fn facts(&self, caller: &Caller, keys: &[String], head: &str) -> Result<Option<FactsFile>, ToolError> {
        let Some(mut branch) = self.database.nearest_branch(caller, keys, head)? else { return Ok(None) };
        let (tree, open) = self.open_published(&branch)?;
        branch.tree = tree;
        let file = self.facts.open(&branch, open.engine())?;
        Ok(Some(FactsFile { file, label: branch.label }))
    }
}

impl SharedTrees for Node {
    fn authenticate(&self, credential: &Credential<'_>) -> Result<Authentication, ToolError> {
        let found = match credential {
            Credential::Token(token) => self.database.find_token(token)?,
            Credential::Identity(identity) => self.database.find_identity(identity)?,
        };
        let Some(valid) = found else { return Ok(Authentication::Rejected) };
        if let Err(retry_after) = self.limits.take(valid.id, valid.per_minute) {
            return Ok(Authentication::Limited { retry_after });
        }
        Ok(Authentication::Accepted(Caller { id: valid.id, name: valid.name, is_admin: valid.is_admin }))
    }

    fn open(&self, caller: &Caller, question: &SharedQuestion<'_>) -> Result<OpenedTrees, ToolError> {
        let opened = match question.repository {
            Some(name) => self.open_named(caller, name, question)?,
            None => self.open_all(caller, question)?,
        };
        if opened.trees.is_empty() {
            let other = if question.own.is_empty() { "" } else { "other " };
            let message = format!("there is no {other}repository that you may read");
            return Err(ToolError::new(Code::NotFound, message));
        }
        Ok(opened)
    }

    fn repositories(&self, caller: &Caller) -> Result<Vec<RepositoryLine>, ToolError> {
        Ok(self.database.readable_repositories(caller)?)
    }

    fn record(&self, caller: &Caller, answered: &AnsweredQuestion<'_>) {
        if !self.audit.record(&self.database, caller, answered) {
            tracing::error!("a question cannot be recorded in the audit log");
        }
    }

    fn notify(&self, repository: &str, is_proven: &dyn Fn(&[u8]) -> bool) -> Result<bool, ToolError> {
        let secret = self.database.hook_secret(repository)?;
        let compared = secret.as_ref().unwrap_or(&self.unknown_secret);
        let is_accepted = is_proven(compared.as_bytes()) && secret.is_some();
        if is_accepted {
            self.database.reindex(repository, false)?;
        }
        Ok(is_accepted)
    }

    fn is_ready(&self) -> bool {
        self.database.check_schema().is_ok()
    }

    fn metrics(&self) -> String {
        let mut page = String::new();
        let mut gauge = |name: &str, help: &str, value: u64| {
            let _ = writeln!(page, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
        };
        let (lent, connections) = self.database.connections();
        gauge("orient_team_connections", "Connections to the database.", connections as u64);
        gauge("orient_team_connections_used", "Connections in use.", lent as u64);
        gauge("orient_team_open_trees", "Trees that are open.", lock(&self.open).len() as u64);
        let opened = self.opened_count.load(Ordering::Relaxed);
        gauge("orient_team_trees_opened", "Trees opened since the start.", opened);
        if let Ok(row) = self.database.with(|client| Ok(client.query_one(JOBS, &[])?)) {
            let count = |at: usize| row.get::<_, i64>(at).cast_unsigned();
            gauge("orient_team_jobs_waiting", "Jobs that wait for a worker.", count(0));
            gauge("orient_team_jobs_running", "Jobs that a worker holds.", count(1));
            gauge("orient_team_jobs_failed", "Jobs whose last attempt failed.", count(2));
        }
        page
    }
}
