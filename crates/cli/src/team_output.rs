//! What `orient team` prints: one line for each branch, token, group or job, as text or as JSON.

use crate::config::{Config, OutputFormat};
use crate::render;
use orient_team::{BackupReport, BranchStatus, GroupLine, TokenLine, WorkOutcome};
use orient_tools::{Code, Exit, Style, TextWriter, ToolError, bytes, plural, write_json_line};
use serde::Serialize;
use std::io;

/// One line of output.
pub(crate) trait OutputLine: Serialize {
    fn write(&self, page: &mut TextWriter<'_>) -> io::Result<()>;
}

pub(crate) fn lines<T: OutputLine>(config: &Config, lines: &[T]) -> Result<Exit, ToolError> {
    let written = match config.format {
        OutputFormat::Json => render::raw(|out| lines.iter().try_for_each(|line| write_json_line(line, out))),
        OutputFormat::Text => {
            render::page(config.colour, |page| lines.iter().try_for_each(|line| line.write(page)))
        }
    };
    written.map_err(|error| ToolError::new(Code::Io, format!("cannot write: {error}")))?;
    Ok(if lines.is_empty() { Exit::Nothing } else { Exit::Ok })
}

pub(crate) fn say(config: &Config, text: &str) -> Result<Exit, ToolError> {
    lines(config, &[Message { done: text.to_owned() }])
}

#[derive(Serialize)]
struct Message {
    /// What was done, or the token.
    done: String,
}

impl OutputLine for Message {
    fn write(&self, page: &mut TextWriter<'_>) -> io::Result<()> {
        page.line(Style::Plain, &self.done)
    }
}

#[derive(Serialize)]
pub(crate) struct StatusLine {
    repository: String,
    branch: String,
    source: String,
    generation: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    files: u64,
    bytes: u64,
    job: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl StatusLine {
    pub(crate) fn of(status: &BranchStatus) -> Self {
        let BranchStatus { repository, source, branch, generation, commit, files, bytes, job, error } =
            status.clone();
        Self { repository, branch, source, generation, commit, files, bytes, job, error }
    }
}

impl OutputLine for StatusLine {
    fn write(&self, page: &mut TextWriter<'_>) -> io::Result<()> {
        page.put(Style::Path, &self.repository)?;
        let branch = if self.branch.is_empty() { "(default branch)" } else { &self.branch };
        page.put(Style::Plain, &format!("  {branch}"))?;
        match &self.commit {
            Some(commit) => {
                let (files, size) = (plural(self.files, "path", "paths"), bytes(self.bytes));
                let short = commit.get(..10).unwrap_or(commit);
                page.put(
                    Style::Plain,
                    &format!("  {short}  {files}, {size}, generation {}", self.generation),
                )?;
            }
            None => page.put(Style::Dim, "  not published")?,
        }
        if !self.job.is_empty() {
            page.put(Style::Dim, &format!("  {}", self.job))?;
        }
        if let Some(error) = &self.error {
            page.put(Style::Plain, &format!("  last error: {error}"))?;
        }
        page.line(Style::Plain, "")
    }
}

#[derive(Serialize)]
pub(crate) struct TokenOut {
    id: i64,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    repositories: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<String>,
    admin: bool,
    created: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
    valid: bool,
}

impl TokenOut {
    pub(crate) fn of(token: &TokenLine) -> Self {
        let TokenLine { id, name, repositories, groups, is_admin, created, expires, is_valid } =
            token.clone();
        Self { id, name, repositories, groups, admin: is_admin, created, expires, valid: is_valid }
    }
}

impl OutputLine for TokenOut {
    fn write(&self, page: &mut TextWriter<'_>) -> io::Result<()> {
        let scope = match &self.repositories {
            Some(_) if !self.groups.is_empty() => format!("groups {}", self.groups.join(", ")),
            some => repositories_text(some.as_deref()),
        };
        let admin = if self.admin { ", admin" } else { "" };
        let expires = self.expires.as_ref().map_or_else(String::new, |day| format!(", until {day}"));
        let state = if self.valid { "" } else { "  (refused)" };
        let (id, name, created) = (self.id, &self.name, &self.created);
        page.line(Style::Plain, &format!("{id}  {name}  {scope}{admin}  since {created}{expires}{state}"))
    }
}

fn repositories_text(repositories: Option<&[String]>) -> String {
    repositories.map_or_else(|| "all repositories".to_owned(), |some| some.join(", "))
}

#[derive(Serialize)]
pub(crate) struct GroupOut {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    repositories: Option<Vec<String>>,
}

impl GroupOut {
    pub(crate) fn of(group: GroupLine) -> Self {
        let GroupLine { name, repositories } = group;
        Self { name, repositories }
    }
}

impl OutputLine for GroupOut {
    fn write(&self, page: &mut TextWriter<'_>) -> io::Result<()> {
        page.line(
            Style::Plain,
            &format!("{}  {}", self.name, repositories_text(self.repositories.as_deref())),
        )
    }
}

#[derive(Serialize)]
pub(crate) struct CheckOut {
    pub(crate) consistent: bool,
    branches: u64,
    contents: u64,
    bytes: u64,
    artefacts: u64,
    problems: Vec<String>,
    more: u64,
}

impl CheckOut {
    pub(crate) fn of(report: BackupReport) -> Self {
        let consistent = report.is_consistent();
        let BackupReport { branches, contents, bytes, artefacts, problems, more } = report;
        Self { consistent, branches, contents, bytes, artefacts, problems, more }
    }
}

impl OutputLine for CheckOut {
    fn write(&self, page: &mut TextWriter<'_>) -> io::Result<()> {
        self.problems.iter().try_for_each(|problem| page.line(Style::Plain, problem))?;
        if self.more > 0 {
            page.line(
                Style::Plain,
                &format!("… and {}", plural(self.more, "more problem", "more problems")),
            )?;
        }
        let branches = plural(self.branches, "branch", "branches");
        let contents = plural(self.contents, "content", "contents");
        let artefacts = plural(self.artefacts, "artefact", "artefacts");
        let checked = format!("{branches}, {contents} ({}), {artefacts}", bytes(self.bytes));
        let verdict = if self.consistent { "consistent" } else { "not consistent" };
        page.line(Style::Plain, &format!("{verdict}: {checked}"))
    }
}

#[derive(Serialize)]
pub(crate) struct WorkLine {
    repository: String,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl WorkLine {
    pub(crate) fn of(repository: &str, outcome: &WorkOutcome) -> Self {
        let empty =
            Self { repository: repository.to_owned(), outcome: "", commit: None, changes: None, error: None };
        match outcome.clone() {
            WorkOutcome::Published { commit, changes } => {
                Self { outcome: "published", commit: Some(commit), changes: Some(changes), ..empty }
            }
            WorkOutcome::Unchanged => Self { outcome: "unchanged", ..empty },
            WorkOutcome::Failed(error) => Self { outcome: "failed", error: Some(error), ..empty },
        }
    }

    pub(crate) fn write(&self, page: &mut TextWriter<'_>) -> io::Result<()> {
        let commit = self.commit.as_deref().map_or("", |commit| commit.get(..10).unwrap_or(commit));
        let changes = self.changes.map_or_else(String::new, |changes| {
            format!("  {}", plural(changes as u64, "entry changed", "entries changed"))
        });
        let error = self.error.as_ref().map_or_else(String::new, |error| format!("  {error}"));
        let Self { repository, outcome, .. } = self;
        page.line(Style::Plain, &format!("{repository}  {outcome}  {commit}{changes}{error}"))
    }
}
