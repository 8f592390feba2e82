//! A node: answers questions about the repositories that a caller may read. It has no state that matters: indexes are caches of
//! what is published, and every request is checked against the database.

use crate::access::{MAX_NAMED, PublishedBranch};
use crate::audit::AuditLog;
use crate::data_directory::DataDirectory;
use crate::database::Database;
use crate::error::TeamError;
use crate::facts_export::FactsFiles;
use crate::indexes::Indexes;
use crate::open_trees::{OpenTrees, ReadyTree};
use crate::tokens::{RateLimits, random_text};
use crate::word_postings::WordPostings;
use orient_serve::{
    AnsweredQuestion, Authentication, Caller, Credential, FactsFile, OpenedTrees, PublishedFacts,
    RepositoryLine, SharedQuestion, SharedTrees,
};
use orient_tools::{Code, RootFilter, ToolError};
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of repositories that one question asks.
const MAX_ASKED: usize = 8;
/// How long a question waits for the only repository that it is about, or for the first of several.
const PATIENCE: Duration = Duration::from_secs(20);

const JOBS: &str = "SELECT count(*) FILTER (WHERE worker IS NULL), count(*) FILTER (WHERE lease > now()), \
     count(*) FILTER (WHERE error IS NOT NULL) FROM job";

/// A node of a team server.
pub struct Node {
    database: Arc<Database>,
    trees: OpenTrees,
    words: WordPostings,
    patience: Duration,
    facts: FactsFiles,
    audit: AuditLog,
    limits: RateLimits,
    /// Compared where there is no secret, so that this takes as long.
    unknown_secret: String,
}

/// How a node keeps the indexes of repositories.
#[derive(Clone, Copy, Debug)]
pub struct NodeOptions {
    /// How long a question about several repositories waits for those that are not ready.
    pub patience: Duration,
    /// Whether every repository is prepared before it is asked about.
    pub prepare: bool,
}

impl Node {
    /// A node with a data directory. Fails if the schema is that of another version.
    pub fn new(
        database: Arc<Database>,
        data: DataDirectory,
        options: NodeOptions,
    ) -> Result<Self, TeamError> {
        database.check_schema()?;
        let indexes = Indexes::new(database.clone(), data.clone());
        Ok(Self {
            trees: OpenTrees::start(database.clone(), indexes, options.prepare)?,
            words: WordPostings::default(),
            patience: options.patience,
            facts: FactsFiles::new(data),
            database,
            audit: AuditLog::default(),
            limits: RateLimits::default(),
            unknown_secret: random_text()?,
        })
    }

    fn open_named(
        &self,
        caller: &Caller,
        name: &str,
        question: &SharedQuestion<'_>,
    ) -> Result<OpenedTrees, TeamError> {
        let branch = self.database.readable_branch(caller, name)?;
        let mut branches = vec![branch];
        let (mut is_labelled, mut left_out) = (false, Vec::new());
        if let RootFilter::DefinesOrUses(name) = &question.filter
            && question.operation.across
        {
            let using = self.database.requiring(caller, &branches, name, &[], MAX_ASKED - 1)?;
            is_labelled = !using.branches.is_empty();
            branches.extend(using.branches);
            left_out.extend(others_reason(&using.others));
        }
        self.opened(&branches, is_labelled, true, left_out)
    }

    fn open_all(&self, caller: &Caller, question: &SharedQuestion<'_>) -> Result<OpenedTrees, TeamError> {
        let own = self.database.identified(caller, question.own)?;
        if !question.operation.across {
            let all = self.database.candidates(caller, &self.words, &RootFilter::Any, &own, 1)?;
            if !all.others.is_empty() {
                let message = format!(
                    "`{}` is about one repository, and you may read several",
                    question.operation.name
                );
                return Err(TeamError::usage(message, "name one with `repository`"));
            }
            return self.opened(&all.branches, false, true, Vec::new());
        }
        let found = self.database.candidates(caller, &self.words, &question.filter, &own, MAX_ASKED)?;
        let (mut branches, mut others) = (found.branches, found.others);
        if let RootFilter::DefinesOrUses(name) = &question.filter {
            let room = MAX_ASKED.saturating_sub(branches.len()).max(MAX_ASKED / 2);
            let using = self.database.requiring(caller, &branches, name, &own, room)?;
            others.extend(using.others);
            branches.extend(using.branches);
        }
        self.opened(&branches, true, false, others_reason(&others).into_iter().collect())
    }

    /// Opens branches. Those that are not ready in time are left out, but not the first one if names mean its symbols only.
    fn opened(
        &self,
        branches: &[PublishedBranch],
        is_labelled: bool,
        only_own_symbols: bool,
        mut left_out: Vec<String>,
    ) -> Result<OpenedTrees, TeamError> {
        for branch in branches {
            self.trees.request(branch);
        }
        let now = Instant::now();
        let (mut trees, mut pending, mut former) = (Vec::new(), Vec::new(), Vec::new());
        for (at, branch) in branches.iter().enumerate() {
            let is_required = at == 0 && only_own_symbols;
            let until = now + if is_required { PATIENCE } else { self.patience };
            match self.trees.wait(branch, until)? {
                Some(ReadyTree { tree, is_current, .. }) => {
                    trees.push((branch.label.clone(), tree));
                    former.extend((!is_current).then_some(branch.label.as_str()));
                }
                None if is_required => return Err(TeamError::Preparing(branch.label.clone())),
                None => pending.push(branch),
            }
        }
        if let (true, Some(first)) = (trees.is_empty(), pending.first()) {
            let ready = self.trees.wait(first, now + PATIENCE)?;
            let ready = ready.ok_or_else(|| TeamError::Preparing(first.label.clone()))?;
            trees.push((first.label.clone(), ready.tree));
            pending.remove(0);
        }
        if !pending.is_empty() {
            let names: Vec<&str> = pending.iter().map(|branch| branch.label.as_str()).collect();
            left_out.push(format!("not ready on this node yet, ask again in a moment: {}", names.join(", ")));
        }
        if !former.is_empty() {
            left_out.push(format!("an earlier commit than the published one: {}", former.join(", ")));
        }
        Ok(OpenedTrees { trees, is_labelled, only_own_symbols, left_out })
    }
}

/// Why an answer may lack something if other repositories may have an answer too.
fn others_reason(others: &[String]) -> Option<String> {
    let named = others.get(..MAX_NAMED).unwrap_or(others).join(", ");
    let and_more = if others.len() > MAX_NAMED { " and more" } else { "" };
    (!others.is_empty()).then(|| {
        format!("more repositories may have an answer: {named}{and_more}; name one of them with `repository`")
    })
}

impl PublishedFacts for Node {
    fn facts(&self, caller: &Caller, keys: &[String], head: &str) -> Result<Option<FactsFile>, ToolError> {
        let Some(mut branch) = self.database.nearest_branch(caller, keys, head)? else { return Ok(None) };
        let ready = self.trees.wait(&branch, Instant::now() + PATIENCE)?;
        let ready = ready.ok_or_else(|| TeamError::Preparing(branch.label.clone()))?;
        branch.tree = ready.id;
        let file = self.facts.open(&branch, ready.tree.engine())?;
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
        gauge("orient_team_open_trees", "Trees that are open.", self.trees.count() as u64);
        gauge("orient_team_trees_opened", "Trees opened since the start.", self.trees.opened_count());
        if let Ok(row) = self.database.with(|client| Ok(client.query_one(JOBS, &[])?)) {
            let count = |at: usize| row.get::<_, i64>(at).cast_unsigned();
            gauge("orient_team_jobs_waiting", "Jobs that wait for a worker.", count(0));
            gauge("orient_team_jobs_running", "Jobs that a worker holds.", count(1));
            gauge("orient_team_jobs_failed", "Jobs whose last attempt failed.", count(2));
        }
        page
    }
}
